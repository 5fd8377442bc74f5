"""`Playing`: the stops of a walk one after the other, each with a motion that shows where it comes from."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from bertviz_app.viewmodels.steps.stops import Walk

SPEEDS = (0.5, 1.0, 2.0, 4.0)
MOTION_MS, HOLD_MS = 2000.0, 1600.0
"""How long a motion takes, and how long its result is shown before the next stop, at speed 1."""

_FRAME_MS = 33


class Playing(QObject):
    """`progress` goes from 0 to 1 during a motion.

    `frame` is emitted whenever there is another picture to draw, `changed` when the speed is another one or
    the playing begins or ends.

    While `is_ready` is false, since numbers of the stop are still computed, time stands still. With
    `reduces_motion` the stops follow each other without motion.
    """

    frame = Signal()
    changed = Signal()

    def __init__(self, walk: Walk) -> None:
        super().__init__(walk)
        self._walk = walk
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._on_timeout)
        self._clock = QElapsedTimer()
        self._held = 0.0
        self.progress = 1.0
        self.speed = 1.0
        self.is_playing = False
        self.is_ready = True
        self.reduces_motion = False
        walk.moved.connect(self._on_moved)

    @property
    def is_moving(self) -> bool:
        """Whether a motion is not over yet."""
        return self.progress < 1.0

    @Slot()
    def turn(self) -> None:
        """Play from this stop on, from the first one at the end; or pause where it is."""
        if self.is_playing:
            self._set_playing(False)
            return
        if self._walk.position == len(self._walk.stops) - 1 and not self.is_moving:
            self._walk.step(-len(self._walk.stops))
        if not self.is_moving:
            self._begin()
        self._set_playing(True)

    @Slot()
    def step(self) -> None:
        """Go to the next stop, show its motion, and pause."""
        self._set_playing(False)
        self._walk.step(1)
        self._begin()
        self._run()

    @Slot()
    def next_speed(self) -> None:
        """Play at the next speed, after the fastest at the slowest."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]
        self.changed.emit()

    def stop(self) -> None:
        """Pause, and show the stop as it is after its motion."""
        self._set_playing(False)
        self._timer.stop()
        self._set_progress(1.0)

    def advance(self, ms: float) -> None:
        """Let so much time pass: the motion goes on, or after it the next stop comes."""
        if not self.is_ready:
            return
        if self.is_moving:
            self._set_progress(self.progress + ms * self.speed / MOTION_MS)
        elif not self.is_playing:
            self._timer.stop()
        else:
            self._held += ms * self.speed
            if self._held >= HOLD_MS:
                self._go_on()

    def _go_on(self) -> None:
        if self._walk.position == len(self._walk.stops) - 1:
            self._set_playing(False)
        else:
            self._walk.step(1)

    def _begin(self) -> None:
        self._held = 0.0
        self._set_progress(1.0 if self.reduces_motion else 0.0)

    def _set_progress(self, progress: float) -> None:
        self.progress = min(1.0, progress)
        self.frame.emit()

    def _set_playing(self, is_playing: bool) -> None:
        self.is_playing = is_playing
        if is_playing:
            self._run()
        else:
            self._timer.stop()
        self.changed.emit()

    def _run(self) -> None:
        self._clock.start()
        self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        self.advance(float(self._clock.restart()))

    @Slot()
    def _on_moved(self) -> None:
        """Begin the motion of the stop that one is at now; walked to by hand while paused it has none."""
        if self.is_playing:
            self._begin()
        elif self.is_moving:
            self.stop()
