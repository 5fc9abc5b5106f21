"""The site: guides, reference, protocols, lessons and a gallery of what breaks, made of what is in the repository.

``python -m website`` builds it. Nothing here is part of the package.
"""
