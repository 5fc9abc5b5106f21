"""The words of the standard modules that come without a text, in the order of theirs: for ``string_order.py``.

Read off tlaplus/tlaplus cc6b616 (``tla2sany/StandardModules``) and, where that has no such module, CommunityModules
a8068a4. A word counts where it stands first; brackets and operators are left out of the modules' words.
"""

#: What SANY knows before it reads a module.
BUILT_IN = (
    "STRING FALSE TRUE BOOLEAN = /= . ' => SUBSET UNION DOMAIN \\ ~> [] <> ENABLED UNCHANGED -+-> [ ^ / * - -. + ^+ "
    "^* ^# < > ... .. | || && & ?? %% % ## ++ -- ** // ^^ @@ !! |- |= -| =| <: :> := ::= ~ /\\ \\/ <=> # <= =< >= (+) "
    "(-) (.) (/) (\\X) @"
)

#: By module: what it extends, what it instantiates, its words, and the strings that are none of its words.
STANDARD = {
    "_TLCTrace": (
        "",
        "TLC TLCExt Sequences Naturals",
        (
            "_TLCTrace LOCAL INSTANCE TLC TLCExt Sequences Naturals _TLCTraceDeserialize absoluteFilename TRUE "
            "_TLCTraceSerialize val CONSTANT _TLCTraceFile _TLCTrace0 verbose IF CounterExample state DOMAIN "
            "FALSE THEN ELSE LET trace ToTrace vars UNION i IN counterexample PrintT _TLCTraceSilent "
            "_TLCTraceInputFile _TLCTraceFileDeserialized _TLCState level Trace _TLCTraceLassoTarget actions e "
            "3 1 CHOOSE 0 _TLCTraceConstraint TLCGet dump pair v 2 _TLCTraceView lassoTarget"
        ),
        "console action",
    ),
    "Naturals": ("", "", "Naturals Nat a b CHOOSE n TRUE", ""),
    "Integers": ("Naturals", "", "Integers EXTENDS Naturals Int a 0", ""),
    "Sequences": (
        "",
        "Naturals",
        (
            "Sequences LOCAL INSTANCE Naturals Seq S UNION 1 n Nat Len s CHOOSE DOMAIN t i IF THEN ELSE Append "
            "e Head Tail CASE SubSeq m SelectSeq Test _ LET F 0 IN"
        ),
        "",
    ),
    "FiniteSets": (
        "",
        "Naturals Sequences",
        (
            "FiniteSets LOCAL INSTANCE Naturals Sequences IsFiniteSet S seq Seq s n 1 Len Cardinality LET CS T "
            "SUBSET IF THEN 0 ELSE CHOOSE x IN"
        ),
        "",
    ),
    "Bags": (
        "TLC",
        "Naturals",
        (
            "Bags EXTENDS TLC LOCAL INSTANCE Naturals IsABag B DOMAIN n Nat 0 BagToSet SetToBag S e 1 BagIn "
            "EmptyBag B1 B2 IF THEN ELSE LET IN d Sum f DSum SUBSET elt CHOOSE TRUE BagUnion UNION SubBag "
            "RemoveFromDom x y Combine BagSet i Biggest Range r s RSB BB BagOfAll F _ BagCardinality CopiesIn"
        ),
        "",
    ),
    "TLC": (
        "",
        "Naturals Sequences FiniteSets",
        (
            "TLC LOCAL INSTANCE Naturals Sequences FiniteSets Print out val PrintT TRUE Assert IF THEN ELSE "
            "CHOOSE v JavaTime n Nat TLCGet i TLCSet d e x f g DOMAIN Permutations S w SortSeq s Op _ LET Perm "
            "p 1 Len j IN RandomElement Any ToString a b STRING TLCEval"
        ),
        "",
    ),
    "TLCExt": (
        "",
        "TLC Integers",
        (
            "TLCExt LOCAL INSTANCE TLC Integers AssertEq a b IF THEN PrintT ELSE AssertError err exp LET "
            "FailsEval e CHOOSE BOOLEAN TRUE TLCError s STRING IN Assert TLCGetOrDefault key defaultVal n "
            "TLCGetAndSet Op _ val oldVal v TLCSet Trace CounterExample ToTrace CE TLCModelValue str ToString "
            "TLCDefer expression TLCNoOp PickSuccessor bool TLCCache closure TLCFP var i Int TLCEvalDefinition "
            "definitionName"
        ),
        "",
    ),
    "Randomization": (
        "",
        "Naturals FiniteSets",
        (
            "Randomization LOCAL INSTANCE Naturals FiniteSets RandomSubset k S CHOOSE T SUBSET Cardinality "
            "RandomSetOfSubsets n TestRandomSetOfSubsets i 1 5"
        ),
        "",
    ),
    "IOUtils": (
        "",
        "TLC Integers Sequences SequencesExt",
        (
            "IOUtils LOCAL INSTANCE TLC Integers Sequences SequencesExt IOSerialize val absoluteFilename "
            "compress TRUE IODeserialize compressed CHOOSE Serialize value dest options r exitValue Int stdout "
            "STRING stderr Deserialize src IOExec command IOEnvExec env IOExecTemplate commandTemplate "
            "parameters IOEnvExecTemplate IOEnv atoi str i ToString zeroPadN n width LET s padLen Len zeros 1 "
            "IN FoldLeft LAMBDA acc z"
        ),
        "0",
    ),
    "Json": (
        "",
        "Sequences FiniteSets TLC",
        (
            "Json LOCAL INSTANCE Sequences FiniteSets TLC IsSequence F D TRUE FALSE ToJsonKeyValue d ToString "
            "RECURSIVE ToJsonObjectString _ LET CHOOSE IN IF DOMAIN THEN ELSE ToJsonArrayString ToJsonString "
            "IsFiniteSet ToJson value ToJsonArray ToJsonObject JsonSerialize absoluteFilename JsonDeserialize "
            "val ndJsonSerialize ndJsonDeserialize"
        ),
        ": { } [ ] {} []",
    ),
    "CSV": (
        "",
        "TLC Integers",
        (
            "CSV LOCAL INSTANCE TLC Integers CSVWrite template val file TRUE CSVWriteRecord record delim "
            "headers CSVRead columns delimiter CSVRecords CHOOSE n Nat"
        ),
        "",
    ),
    "SVG": (
        "",
        "Naturals Sequences Integers TLC FiniteSets IOUtils",
        (
            "SVG LOCAL INSTANCE Naturals Sequences Integers TLC FiniteSets Merge r1 r2 LET D1 DOMAIN D2 IN k IF "
            "THEN ELSE SVGElem _name _attrs _children _innerText name attrs children innerText Line x1 y1 x2 y2 "
            "svgAttrs ToString Circle cx cy r Rect x y w h width height Text text Image href Group Svg SVGDoc "
            "vbX vbY vbW vbH SVGElemToString elem TRUE NodeOfRingNetwork n m 0 NodesOfDirectedMultiGraph nodes "
            "edges options CHOOSE f Int PointOnLine from to segment SVGSerialize svg frameNamePrefix "
            "frameNumber IO IOUtils Serialize zeroPadN 3 format charset openOptions"
        ),
        (
            "line circle rect xlink:href image g xmlns:xlink http://www.w3.org/1999/xlink xmlns "
            "http://www.w3.org/2000/svg viewBox .svg TXT UTF-8 WRITE CREATE TRUNCATE_EXISTING"
        ),
    ),
    "FunctionTheorems": (
        "Functions Integers FiniteSets",
        "",
        (
            "FunctionTheorems EXTENDS Functions Integers FiniteSets THEOREM Fun_RestrictProperties ASSUME NEW S "
            "T f A SUBSET PROVE Restrict x Fun_RangeProperties Range y Surjection Fun_InverseProperties Inverse "
            "Fun_IsInj F a b Injection Fun_IsSurj t s Fun_IsBij Bijection Fun_InjectionProperties "
            "Fun_SurjectionProperties Fun_BijectionProperties Fun_SmallestSurjectionIsBijection U "
            "Fun_InjTransitive G Fun_SurjTransitive Fun_BijTransitive Fun_SurjInverse Fun_InjInverse "
            "Fun_BijInverse Fun_BijRestrict R Fun_InjMeansBijImage Fun_ExistsInj ExistsInjection Fun_ExistsSurj "
            "ExistsSurjection Fun_ExistsBij ExistsBijection Fun_ExistsSurjSubset "
            "Fun_ExistsSurjMeansExistsRevInj Fun_ExistsBijReflexive Fun_ExistsBijSymmetric "
            "Fun_ExistsBijTransitive Fun_ExistsInjReflexive Fun_ExistsSurjReflexive Fun_ExistsInjTransitive "
            "Fun_ExistsSurjTransitive Fun_CantorBernsteinSchroeder_Lemma Fun_CantorBernsteinSchroeder "
            "Fun_ExistInjAndSurjThenBij Fun_ExistSurjAndSurjThenBij Fun_ExistsBijEquiv Fun_ExistsBijInterval "
            "Int 1 Fun_NatInjLeq n Nat m Fun_NatSurjImpliesNatBij Fun_NatSurjEquivNatBij Fun_NatBijSame "
            "Fun_NatBijEmpty 0 Fun_NatBijSingleton Fun_NatBijSubset Fun_NatBijAddElem Fun_NatBijSubElem "
            "FoldFunctionOnSetEmpty op _ base fun FoldFunctionOnSet FoldFunctionOnSetNonempty indices "
            "IsFiniteSet i FoldFunctionOnSetType Typ u FoldFunctionOnSetEqual g FoldFunctionOnSetAC v j "
            "FoldFunctionOnSetACAddIndex FoldFunctionOnSetACExcept DOMAIN EXCEPT IF THEN ELSE "
            "FoldFunctionOnSetDisjointUnion FoldFunctionEmpty FoldFunction FoldFunctionNonempty "
            "FoldFunctionType FoldFunctionAC FoldFunctionACExcept SumFunctionOnSetNat SumFunctionOnSet "
            "SumFunctionOnSetInt SumFunctionOnSetEqual SumFunctionOnSetEmpty SumFunctionOnSetNonempty "
            "SumFunctionOnSetAddIndex SumFunctionOnSetRemoveIndex SumFunctionOnSetExcept "
            "SumFunctionOnSetDisjointUnion SumFunctionNatOnSubset SumFunctionOnSetZero SumFunctionOnSetConst D "
            "c Cardinality SumFunctionOnSetMonotonic SumFunctionOnSetStrictlyMonotonic SumFunctionNat "
            "SumFunction SumFunctionInt SumFunctionEmpty SumFunctionNonempty SumFunctionExcept SumFunctionZero "
            "SumFunctionConst SumFunctionMonotonic SumFunctionStrictlyMonotonic"
        ),
        "",
    ),
}
