"""How the variables of a module are spread over the cells of states.

In comes a sample of states (``sample.py``), from which the shape of each variable is learned (``shape_inference.py``);
out goes a layout (``layout.py``), with views that read a value cell by cell and store it again (``views.py``).
``shapes.py`` says which shapes there are.
"""
