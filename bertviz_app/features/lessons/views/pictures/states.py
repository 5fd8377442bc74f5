"""The hidden states of all tokens, after the embeddings and after each layer: as strips, or as a map."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.state.strips import Strip
from bertviz_app.features.lessons.views.pictures.lesson_picture import LargerLook, LessonPicture, note_label
from bertviz_app.features.lessons.views.pictures.vectors import StripRows
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_row
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.vectors.map import MapPicture, MapView


class StatesPicture(LessonPicture):
    """A vector for each token after the layer that the slider is at; of a scene about a map, points."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.map = StripRows(look), MapView(LargerLook(look, self))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setPageStep(1)
        self.slider.setAccessibleName(self.tr("After which layer"))
        self.slider.valueChanged.connect(pictures.go_to_state)
        ends = note_label(self.tr("embeddings")), note_label(self.tr("last layer"))
        row = in_row(ends[0], (self.slider, 1), ends[1], spacing=12)
        self.lay_out(self.plot, self.tr("The vector of each token as a strip"), (self.map, 100), row)
        self.map.item.layout.setContentsMargins(0, 0, 24, 0)  # the last number lies half beside the map
        self.map.setAccessibleName(self.tr("Map of the tokens by principal components"))
        follow_selection(self.map, pictures.selection, Pair)
        self.setFocusProxy(self.slider)

    def show_scene(self, scene: Scene) -> None:
        now, state, is_map = self.pictures.now, self.pictures.state, scene.part == "map"
        self.plot.setVisible(not is_map)
        self.map.setVisible(is_map)
        if now is None or state > now.n_layers:
            return
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, now.n_layers)
            self.slider.setValue(state)
        place = (
            self.tr("After the embeddings") if state == 0 else self.tr("After layer {0}").format(state - 1)
        )
        if is_map:
            if (found := self.pictures.of_now(self.pictures.maps)) is not None:
                points = found.points[state]
                colours = ["special" if special else "accent" for special in now.tokens.is_special.tolist()]
                picture = MapPicture(points, now.tokens.labels, colours, found.ratios[state], points)
                self.map.show_picture(picture, glides=True)
            words = self.tr("{0}: the tokens in the two directions in which they differ most")
            self.title.setText(words.format(place))
            return
        size, labels = usual_size(now.hidden), now.tokens.labels
        strips = [Strip(label, row / size) for label, row in zip(labels, now.hidden[state], strict=True)]
        self.plot.show_strips(strips, labels, 1.0)
        self.title.setText(self.tr("{0}: {1} vectors of {2} numbers").format(place, *now.hidden[state].shape))
