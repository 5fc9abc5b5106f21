"""The site: guides, reference, protocols, lessons and a gallery of violations, built from the repository.

``python -m website`` builds it. Nothing here is part of the package.

``staging.py`` copies the repository's pages to where Sphinx reads them, and adapts their links. ``broken.py`` finds
every violation that ``specs/`` expects, and tries repairs. ``gallery.py``, ``reference.py`` and ``lessons.py`` write
pages, ``contents.py`` writes the navigation, and ``links.py`` follows every link of the built site. ``front.py``
makes the switches of the front page, and ``playground/`` is the page on which the kernel runs in the browser.
``keeping.py`` keeps what the next build need not make again.
"""
