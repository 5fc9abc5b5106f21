"""Algorithms for tests."""

from workbench.pluscal.module import Source, Translation, find


def module_of(algorithm: str) -> str:
    return f"---- MODULE M ----\nEXTENDS Integers\n(* {algorithm} *)\n====\n"


def source_in(text: str) -> Source:
    source = find(text, "M")
    assert source is not None
    return source


def translation_of(algorithm: str) -> Translation:
    return source_in(module_of(algorithm)).translate()


def text_of(algorithm: str) -> str:
    return "\n".join(translation_of(algorithm).texts)
