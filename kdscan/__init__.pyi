from .document import to_dict as to_dict
from .errors import KdscanError as KdscanError
from .imaging.photo import load_photos as load_photos
from .imaging.picture import Photo as Photo
from .reader import read_photo as read_photo
from .reader import read_with as read_with
from .sheets.base import correct as correct
from .sheets.base import deserialize as deserialize
from .sheets.base import serialize as serialize
from .sheets.common import ReadOptions as ReadOptions
from .sheets.duel_map.model import MapCorrections as MapCorrections
from .sheets.duel_map.model import MapReading as MapReading
from .sheets.kingdom.model import KingdomCorrections as KingdomCorrections
from .sheets.kingdom.model import KingdomReading as KingdomReading
from .sheets.overlay import draw_overlay as draw_overlay
from .sheets.spellbook.model import SpellbookCorrections as SpellbookCorrections
from .sheets.spellbook.model import SpellbookReading as SpellbookReading
from .templates.learn import learn_template as learn_template
from .templates.library import known_templates as known_templates
from .templates.library import load_template as load_template
from .templates.library import save_template as save_template
from .templates.template import Template as Template

__version__: str
__all__: list[str]
