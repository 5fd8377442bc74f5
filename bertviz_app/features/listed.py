"""All rooms, in the order in which their commands are listed. Nothing else names one of them."""

from bertviz_app.features.corpora.feature import CORPORA
from bertviz_app.features.lessons.feature import LESSONS
from bertviz_app.features.parameters.feature import PARAMETERS
from bertviz_app.features.rendering.feature import RENDERING
from bertviz_app.features.steps.feature import STEPS
from bertviz_app.features.training.feature import TRAINING

FEATURES = (STEPS, PARAMETERS, TRAINING, CORPORA, LESSONS, RENDERING)
