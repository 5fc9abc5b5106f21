"""How the variables of a module are spread over the cells of states.

``shape_inference.py`` learns the shape of each variable from a sample of states (``sample.py``); ``shapes.py`` defines
the shapes. The result is a layout (``layout.py``), with views that read and store values cell by cell (``views.py``).
"""
