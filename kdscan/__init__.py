"""kdscan: photograph a finished sheet of Kingdomino Duel, get its score.

>>> from kdscan import load_photos, read_photo, to_dict
>>> for photo in load_photos("photo.jpg"):            # doctest: +SKIP
...     for sheet in read_photo(photo):
...         print(sheet, to_dict(sheet))

The public names stand in `__init__.pyi`; each is imported on first use, so that `import kdscan`
costs nothing.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
