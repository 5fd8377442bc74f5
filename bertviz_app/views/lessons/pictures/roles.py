"""One token and three matrices: what comes out of each is its query, its key and its value."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QLabel

from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.learning.pictures import LessonPictures, Roles
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.lessons.pictures.product import number_image
from bertviz_app.views.plots.picture import PaintedPlot, Painting

_TOKEN, _WORDS, _SIGN, _SMALL = 30.0, 17.0, 24.0, 13.0
_WAY, _MATRIX, _STRIP, _ONE_HEAD, _BETWEEN_HEADS = 84.0, 116.0, 34.0, 320.0, 6.0


@dataclass(frozen=True, eq=False)
class Way:
    """What a token has in one of its roles, in the `heads` [H, E] of a layer.

    `colour` is of the palette, `letter` the index of its matrix W.
    """

    colour: str
    letter: str
    words: str
    heads: Floats


class RolesPlot(PaintedPlot[int]):
    """The token at the left, three matrices beside it, and what comes out of each as a strip of numbers.

    Of all heads where they are shown, each a block of its own; else of the one. Its parts are the rows.
    """

    along = (1, 0)
    shows_words = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.token, self.head, self.width_of_model = "", 0, 0
        self.shows_heads = False
        self.roles: tuple[Way, ...] = ()
        self.images: list[list[QImage]] = []
        self.drawing = _RolesDrawing(self)

    def show_roles(self, roles: Roles, *, shows_heads: bool) -> None:
        """Show what a token has in its three roles."""
        self.token, self.head, self.shows_heads = roles.token, roles.head, shows_heads
        self.width_of_model = roles.width
        words = (
            self.tr("query: what “{0}” looks for"),
            self.tr("key: which queries “{0}” matches"),
            self.tr("value: what “{0}” passes on"),
        )
        names = zip(("query", "key", "value"), "QKV", words, roles.vectors, strict=True)
        self.roles = tuple(
            Way(colour, letter, text.format(roles.token), heads) for colour, letter, text, heads in names
        )
        self.setAccessibleDescription(". ".join(role.words for role in self.roles))
        self.recolour()
        self.forget_part()

    def shown(self, role: Way) -> Floats:
        """Return the numbers that are drawn: of all heads, or of the one."""
        return role.heads if self.shows_heads else role.heads[self.head : self.head + 1]

    def sizeHint(self) -> QSize:
        return QSize(640, 420)

    @property
    def count(self) -> int:
        return len(self.roles)

    def rect_of(self, part: int) -> QRectF:
        return self.drawing.rows()[part]

    def place_of(self, part: int) -> QPointF:
        return self.in_plot(self.drawing.strip(part)).center()

    def lines_of(self, part: int) -> list[str]:
        role = self.roles[part]
        own = role.heads[self.head]
        first = ", ".join(fixed(float(number), 3) for number in own[:4])
        return [role.words, self.tr("head {0}: {1} numbers, {2} …").format(self.head, len(own), first)]

    def recolour(self) -> None:
        self.images = [
            [number_image(self.look, head[None, :], usual_size(role.heads)) for head in self.shown(role)]
            for role in self.roles
        ]
        self.drawing.update()


class _RolesDrawing(Painting[RolesPlot]):
    """Draws the token, the matrices and the strips of `plot` into its box."""

    def rows(self) -> list[QRectF]:
        """Return where the three roles are, in pixels of the box."""
        height = self.rect().height() / 3
        left = self._token().right()
        return [QRectF(left, at * height, self.rect().width() - left, height) for at in range(3)]

    def _token(self) -> QRectF:
        metrics = QFontMetricsF(self.look.font(_TOKEN, bold=True))
        width = max(metrics.horizontalAdvance(self._plot.token), self.look.pixels(70)) + self.look.pixels(28)
        height = self.look.pixels(76)
        return QRectF(1, (self.rect().height() - height) / 2, width, height)

    def matrix(self, at: int) -> QRectF:
        """Return where the matrix of a role is."""
        row, size = self.rows()[at], self.look.pixels(_MATRIX)
        height = min(size, row.height() - self.look.pixels(16))
        return QRectF(row.left() + self.look.pixels(_WAY), row.center().y() - height / 2, size, height)

    def strip(self, at: int) -> QRectF:
        """Return where the numbers of a role are."""
        row, left = self.rows()[at], self.matrix(at).right() + self.look.pixels(56)
        height = self.look.pixels(_STRIP)
        return QRectF(left, row.center().y() - height / 2, max(40.0, row.right() - left - 6), height)

    def draw(self, painter: QPainter) -> None:
        plot, look, box = self._plot, self.look, self._token()
        if not plot.roles:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at, role in enumerate(plot.roles):
            self._draw_way(painter, box, at, role)
            self._draw_matrix(painter, at, role)
            self._draw_strip(painter, at, role)
        painter.setPen(QPen(look.colour("text"), 1.5))
        painter.setBrush(look.colour("card"))
        painter.drawRoundedRect(box, 8, 8)
        painter.setFont(look.font(_TOKEN, bold=True))
        upper = box.adjusted(0, 4, 0, -look.pixels(24))
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, plot.token)
        painter.setFont(look.font(_SMALL))
        painter.setPen(look.colour("secondary"))
        lower = QRectF(box.left(), upper.bottom(), box.width(), look.pixels(20))
        words = plot.tr("{0} numbers").format(plot.width_of_model)
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_way(self, painter: QPainter, box: QRectF, at: int, role: Way) -> None:
        """Draw the way from the token into the matrix, and out of it to the numbers."""
        matrix, strip = self.matrix(at), self.strip(at)
        start, end = QPointF(box.right(), box.center().y()), QPointF(matrix.left(), matrix.center().y())
        path, middle = QPainterPath(start), (start.x() + end.x()) / 2
        path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.colour(role.colour), 3))
        painter.drawPath(path)
        painter.drawLine(QPointF(matrix.right(), end.y()), QPointF(strip.left() - 6, end.y()))

    def _draw_matrix(self, painter: QPainter, at: int, role: Way) -> None:
        plot, look, box = self._plot, self.look, self.matrix(at)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("card"))
        painter.drawRect(box)
        if plot.shows_heads:
            wide = box.width() / len(role.heads)
            for head in range(len(role.heads)):
                column = QRectF(box.left() + head * wide, box.top(), wide, box.height())
                painter.fillRect(column, look.colour(role.colour, 0.35 if head == plot.head else 0.1))
                painter.setPen(QPen(look.colour(role.colour, 0.5), 1))
                painter.drawLine(column.topLeft(), column.bottomLeft())
        else:
            painter.fillRect(box, look.colour(role.colour, 0.15))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.colour(role.colour), 2))
        painter.drawRect(box)
        painter.setPen(look.colour("text"))
        large, small = look.font(_SIGN), look.font(0.65 * _SIGN)
        widths = [QFontMetricsF(large).horizontalAdvance("W"), QFontMetricsF(small).horizontalAdvance("Q")]
        line = box.center() + QPointF(-sum(widths) / 2, QFontMetricsF(large).capHeight() / 2)
        painter.setFont(large)
        painter.drawText(line, "W")
        painter.setFont(small)
        painter.drawText(line + QPointF(widths[0], look.pixels(5)), role.letter)

    def _draw_strip(self, painter: QPainter, at: int, role: Way) -> None:
        plot, look, strip = self._plot, self.look, self.strip(at)
        images, n_heads, each = plot.images[at], len(role.heads), role.heads.shape[1]
        gap = look.pixels(_BETWEEN_HEADS) if len(images) > 1 else 0.0
        whole = strip.width() if len(images) > 1 else min(strip.width(), look.pixels(_ONE_HEAD))
        wide = (whole - gap * (len(images) - 1)) / len(images)
        for number, image in enumerate(images):
            block = QRectF(strip.left() + number * (wide + gap), strip.top(), wide, strip.height())
            is_own = len(images) == 1 or number == plot.head
            painter.setOpacity(1.0 if is_own else 0.55)
            painter.drawImage(block, image)
            painter.setOpacity(1.0)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.colour(role.colour if is_own else "rule"), 2 if is_own else 1))
            painter.drawRect(block)
        painter.setPen(look.colour(role.colour))
        painter.setFont(look.font(_WORDS, bold=True))
        high = look.pixels(26)
        above = QRectF(strip.left(), strip.top() - high, strip.width(), high)
        painter.drawText(above, Qt.AlignmentFlag.AlignVCenter, role.words)
        painter.setPen(look.colour("secondary"))
        painter.setFont(look.font(_SMALL))
        words = plot.tr("{0} numbers in head {1}").format(each, plot.head)
        if plot.shows_heads:
            words = plot.tr("{0} heads with {1} numbers each: {2}").format(n_heads, each, n_heads * each)
        below = QRectF(strip.left(), strip.bottom(), strip.width(), high)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


class RolesPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.plot = RolesPlot(look)
        self.title = named(QLabel(wordWrap=True), "pictureTitle")
        in_column(self.title, (self.plot, 1), of=self, margins=(24, 16, 24, 16))
        self.plot.setAccessibleName(self.tr("Query, key and value of a token. Arrows read them out"))
        self.setFocusProxy(self.plot)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the roles of the scene's token in the text on screen."""
        scene = self._pictures.scene
        roles = None if scene is None or scene.picture != "roles" else self._pictures.roles
        if scene is None or roles is None:
            return
        self.plot.show_roles(roles, shows_heads=scene.part == "heads")
        words = self.tr("One vector, three matrices: “{0}” in layer {1}")
        if scene.part == "heads":
            words = self.tr("Each head has its own columns of each matrix: “{0}” in layer {1}")
        self.title.setText(words.format(roles.token, roles.layer))
