"""The site: guides, reference, protocols, lessons and a gallery of what breaks, made of what is in the repository.

``python -m website`` builds it. Nothing here is part of the package.

``staging.py`` puts the repository's own pages where Sphinx reads them, with links that work there. ``broken.py`` finds
every violation that ``specs/`` expects once more, and tries what repairs it. ``gallery.py``, ``reference.py`` and
``lessons.py`` write pages, ``contents.py`` the navigation, and ``links.py`` follows every link of what was built.
"""
