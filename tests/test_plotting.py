import itertools
import threading
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_hex
from matplotlib.text import Text

from kerasseq.plotting import figure_to_array, fonts, plot_attention, plot_curves, plot_gates
from kerasseq.plotting.gates import GATES
from kerasseq.plotting.heat_map import GOLD_COLOR


@pytest.fixture(autouse=True)
def no_warnings():
    fonts._warned_scripts.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def only_dejavu(monkeypatch):
    """Matplotlib's own fonts; "Last Resort" has a placeholder for each character there is."""
    own = ("DejaVu", "Last Resort", "STIX", "cm")
    entries = [e for e in font_manager.fontManager.ttflist if e.name.startswith(own)]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", entries)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [])


@pytest.fixture
def square_font(tmp_path):
    """A font file that draws a filled square for each of a few Chinese characters."""

    def make(characters, family="Squares Sans"):
        pen = TTGlyphPen(None)
        for index, point in enumerate([(0, 0), (0, 800), (800, 800), (800, 0)]):
            pen.lineTo(point) if index else pen.moveTo(point)
        pen.closePath()
        builder = FontBuilder(1000, isTTF=True)
        builder.setupGlyphOrder([".notdef", "square"])
        builder.setupCharacterMap({ord(character): "square" for character in characters})
        builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "square": pen.glyph()})
        builder.setupHorizontalMetrics({".notdef": (1000, 0), "square": (1000, 0)})
        builder.setupHorizontalHeader(ascent=800, descent=-200)
        builder.setupNameTable({"familyName": family, "styleName": "Regular"})
        builder.setupOS2(sTypoAscender=800, sTypoDescender=-200)
        builder.setupPost()
        path = tmp_path / f"{family}.ttf"
        builder.save(path)
        return str(path)

    return make


def uniform(source, target, **options):
    weights = np.full((len(target), len(source)), 1 / max(len(source), 1))
    return plot_attention(weights, source, target, **options)


def labels(figure):
    axes = figure.axes[0]
    return [
        [label for label in axis.get_ticklabels() if label.get_text()]
        for axis in (axes.xaxis, axes.yaxis)
    ]


def texts(figure):
    return [[label.get_text() for label in axis] for axis in labels(figure)]


# The heat map


def test_source_runs_along_the_top_and_target_down_the_side():
    figure = plot_attention([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], ["a", "b", "c"], ["x", "y"])
    assert texts(figure) == [["a", "b", "c"], ["x", "y"]]
    axes = figure.axes[0]
    to_pixels, height = axes.transData.transform, figure.bbox.height
    image = figure_to_array(figure)

    def darkness(source, target):
        x, y = to_pixels((source, target))
        return 255 - image[int(height - y), int(x)].mean()

    dark = np.array([[darkness(s, t) for s in range(3)] for t in range(2)]) > 200
    assert dark.tolist() == [[False, True, False], [True, False, False]]
    source_label, target_label = (axis[0].get_window_extent() for axis in labels(figure))
    assert source_label.y0 > axes.bbox.y1 and target_label.x1 < axes.bbox.x0


def test_the_color_scale_does_not_depend_on_the_weights():
    low, high = (plot_attention([[v, 0.0]], ["a", "b"], ["x"]) for v in (0.1, 0.9))
    assert low.axes[0].images[0].get_clim() == high.axes[0].images[0].get_clim() == (0, 1)
    assert low.axes[1].get_ylim() == (0, 1)


@pytest.mark.parametrize("rows, columns", [(1, 1), (1, 12), (12, 1), (45, 40), (60, 60)])
@pytest.mark.parametrize("word", ["a", "it", "Gesellschaft"])
def test_labels_neither_overlap_nor_leave_the_figure(rows, columns, word):
    source, target = [f"{word}"] * columns, [word, "I"] * (rows // 2) + [word] * (rows % 2)
    figure = uniform(source, target, title="a title\nof some length")
    figure_to_array(figure)
    axes, height = figure.axes[0], figure.bbox.height
    boxes = [label.get_window_extent() for axis in labels(figure) for label in axis]
    boxes += [figure.texts[0].get_window_extent(), figure.axes[1].get_tightbbox()]
    assert len(boxes) == rows + columns + 2
    for box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= height
        assert not box.overlaps(axes.bbox)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_the_figure_grows_with_the_tokens_up_to_a_limit():
    small, large, huge = (figure_to_array(uniform(["a"] * n, ["b"] * n)) for n in (3, 30, 200))
    assert small.shape[0] < large.shape[0] and small.shape[1] < large.shape[1]
    assert max(huge.shape) < 2700


def test_a_token_that_nobody_sees_is_drawn_as_an_empty_one():
    figure = uniform(["\u200b", "\u200f", "می\u200cخواهم"], ["a"])
    assert texts(figure)[0] == ["∅", "∅", "می\u200cخواهم"]


def test_tokens_are_drawn_literally():
    source = ["$", "$x_1$", "a\nb", "", " ", "\t", "\u3000", "\x07", "\ud800", "a\u2028b", "a b"]
    figure = uniform(source, [r"\frac", "^_", "%"], title="costs $5 or $6")
    assert texts(figure)[0] == ["$", "$x_1$", "a↵b", "∅", "␣", "⇥", "␣", "�", "�", "a�b", "a b"]
    assert not any(label.get_parse_math() for axis in labels(figure) for label in axis)
    assert not figure.texts[0].get_parse_math()
    figure_to_array(figure)


WORDS = ["$", "$x_1$", r"\frac{1}{2}", "^_", "_hidden", "100%", "#{~}&"]
PLOTS = {
    "attention": lambda: uniform(WORDS, WORDS, title="$x^2$"),
    "gates": lambda: plot_gates(
        {name: np.full((len(WORDS), 2), 0.5) for name in GATES}, WORDS, title="$x^2$"
    ),
    "curves": lambda: plot_curves(
        {word: ([1, 2], [k, k + 1]) for k, word in enumerate(WORDS)}, "$x$", "$y$", "$x^2$"
    ),
}
DRAWN = {"attention": 2 * len(WORDS) + 1, "gates": len(WORDS) + 1, "curves": len(WORDS) + 3}


@pytest.mark.parametrize("name", PLOTS)
def test_a_text_of_the_user_is_drawn_as_it_is(name, monkeypatch):
    drawn = []
    draw_text = RendererAgg.draw_text

    def keep(self, gc, x, y, text, prop, angle, ismath=False, mtext=None):
        drawn.append((text, bool(ismath)))
        draw_text(self, gc, x, y, text, prop, angle, ismath, mtext)

    monkeypatch.setattr(RendererAgg, "draw_text", keep)
    figure_to_array(PLOTS[name]())
    ours = [one for one in drawn if one[0] in {*WORDS, "$x$", "$y$", "$x^2$"}]
    assert len(ours) == DRAWN[name] and not any(is_math for _, is_math in ours)


@pytest.mark.parametrize("name", PLOTS)
def test_no_text_of_the_user_is_given_to_tex(name):
    with matplotlib.rc_context({"text.usetex": True}):
        figure = PLOTS[name]()
    texts = [text for text in figure.findobj(Text) if text.get_text() in {*WORDS, "$x^2$"}]
    assert len(texts) > len(WORDS) and not any(text.get_usetex() for text in texts)


def test_a_token_that_nobody_would_see_is_shown_at_the_gates():
    figure = plot_gates({name: np.zeros((3, 2)) for name in GATES}, ["", " ", "\n"])
    figure_to_array(figure)
    labels = figure.axes[2].get_xticklabels()
    assert [label.get_text() for label in labels] == ["∅", "␣", "↵"]


def test_a_very_long_token_is_cut():
    figure = uniform(["x" * 500], ["y" * 24])
    assert texts(figure) == [["x" * 23 + "…"], ["y" * 24]]


@pytest.mark.parametrize("source, target", [(["a", "b"], []), ([], ["x"]), ([], [])])
def test_a_side_without_tokens_is_a_gray_row(source, target):
    figure = uniform(source, target)
    image = figure_to_array(figure)
    assert (image == 211).all(-1).any()  # lightgray
    assert texts(figure) == [source, target]


def test_gold_links_are_outlined():
    figure = uniform(["a", "b", "c"], ["x", "y"], gold=[[2, 0], [0, 1]])
    centers = [patch.get_center().tolist() for patch in figure.axes[0].patches]
    np.testing.assert_allclose(centers, [[2, 0], [0, 1]])
    assert {to_hex(patch.get_edgecolor()) for patch in figure.axes[0].patches} == {GOLD_COLOR}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"attention_weights": np.ones((3, 2))}, r"\(2, 3\). Received: .*shape=\(3, 2\)"),
        ({"gold": [[3, 0]]}, r"below 3 and .*below 2. Received: gold=\[\[3, 0\]\]"),
        ({"gold": [[0, -1]]}, r"Received: gold=\[\[0, -1\]\]"),
        ({"gold": [0, 1]}, r"Received: gold=\[0, 1\]"),
        ({"font": "No Such Font"}, "installed font family.*Received: font='No Such Font'"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    arguments = {"attention_weights": np.ones((2, 3)), **options}
    with pytest.raises(ValueError, match=message):
        plot_attention(source_tokens=["a", "b", "c"], target_tokens=["x", "y"], **arguments)


def test_the_style_of_the_user_does_not_spoil_the_map():
    style = {
        "axes.grid": True,
        "font.size": 24,
        "xtick.minor.visible": True,
        "figure.constrained_layout.use": True,
    }
    with matplotlib.rc_context(style):
        styled = figure_to_array(uniform(["some", "words"], ["of", "text"]))
    plain = figure_to_array(uniform(["some", "words"], ["of", "text"]))
    np.testing.assert_array_equal(styled, plain)


# Fonts


def test_without_a_font_one_warning_for_each_script_says_what_to_install(only_dejavu):
    with pytest.warns(UserWarning) as caught:
        figure = uniform(["我", "是", "学生", "a"], ["नमस्ते"], title="学")
        image = figure_to_array(figure)
    messages = sorted(str(warning.message) for warning in caught)
    assert len(messages) == 2
    assert "CJK character '学'" in messages[0] and "apt install fonts-noto-cjk" in messages[0]
    assert "DEVANAGARI" in messages[1] and "apt install fonts-noto-core" in messages[1]
    assert caught[0].filename == __file__
    assert texts(figure)[0] == ["□", "□", "□□", "a"]
    assert image.std() > 0


def test_the_warning_comes_once_in_a_process(only_dejavu):
    with pytest.warns(UserWarning, match="HIRAGANA"):
        figure_to_array(uniform(["は"], ["x"]))
    figure_to_array(uniform(["が"], ["x"]))  # warnings are errors here


def test_arabic_needs_no_further_font(only_dejavu):
    figure = uniform(["مرحبا"], ["x"])
    assert texts(figure)[0] == ["مرحبا"]
    figure_to_array(figure)


def test_an_installed_font_with_the_glyphs_is_found(only_dejavu, square_font, monkeypatch):
    paths = [square_font("私", "Part Sans"), square_font("我是学生私", "Whole Sans")]
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: paths)
    figure = uniform(["我", "私", "abc"], ["学生"])
    assert texts(figure)[0] == ["我", "私", "abc"]
    label = labels(figure)[0][0]
    assert label.get_fontfamily()[-1] == "Whole Sans" and "Part Sans" not in label.get_fontfamily()
    box = label.get_window_extent()
    row = figure_to_array(figure)[int(figure.bbox.height - (box.y0 + box.y1) / 2)]
    assert (row[int(box.x0) + 3 : int(box.x1) - 3] == 0).all()  # the font's filled square


def test_fonts_are_joined_when_none_has_all_glyphs(only_dejavu, square_font, monkeypatch):
    paths = [square_font("我", "One Sans"), square_font("私学", "Two Sans")]
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: paths)
    families, drawn = fonts.fit_fonts(["我私学"])
    assert families[-2:] == ["Two Sans", "One Sans"] and drawn == ["我私学"]


def test_a_broken_font_file_is_passed_over(only_dejavu, monkeypatch, tmp_path):
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(broken)])
    with pytest.warns(UserWarning, match="CJK"):
        figure_to_array(uniform(["我"], ["x"]))


def test_a_font_can_be_given_as_a_file_and_then_as_a_family(only_dejavu, square_font):
    path = square_font("我", "Mine")
    for font in (path, path, "Mine"):
        figure = uniform(["我"], ["x"], font=font)
        assert labels(figure)[0][0].get_fontfamily()[0] == "Mine"
        figure_to_array(figure)


def test_the_configured_font_comes_first(only_dejavu, square_font):
    font_manager.fontManager.addfont(square_font("我", "Configured"))
    with matplotlib.rc_context({"font.family": ["Configured"]}):
        families, drawn = fonts.fit_fonts(["我a"])
    assert families == ["Configured", "DejaVu Sans"] and drawn == ["我a"]


@pytest.mark.parametrize("text, ending", [("狗", "SC"), ("狗は", "JP"), ("한국", "KR")])
def test_chinese_characters_follow_the_language_of_the_text(text, ending):
    assert fonts._regional_ending(text) == ending


# Curves


def test_curves_show_their_numbers_and_names():
    figure = plot_curves(
        {"LSTM": ([1, 2, 3], [5.0, np.nan, 2.0], [1.0, 1.0, 1.0]), "RNN": ([1, 3], [4, 1])},
        "lag",
        "BLEU",
        title="by lag",
    )
    axes = figure.axes[0]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [5.0, np.nan, 2.0])
    np.testing.assert_array_equal(axes.lines[1].get_xdata(), [1, 3])
    assert len({line.get_color() for line in axes.lines}) == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("lag", "BLEU")
    assert axes.get_title(loc="left") == "by lag"
    assert len(figure.legends[0].get_texts()) == 2
    band = axes.collections[0].get_datalim(axes.transData)
    assert (band.y0, band.y1) == (1.0, 6.0)


def test_the_legend_stands_beside_the_curves():
    series = {f"a rather long name {k}": (np.arange(5), np.arange(5) * k) for k in range(9)}
    figure = plot_curves(series, "x", "y")
    figure_to_array(figure)
    legend = figure.legends[0].get_window_extent()
    assert not legend.overlaps(figure.axes[0].bbox)
    assert legend.x1 <= figure.bbox.width and legend.y0 >= 0


def test_logarithmic_axes():
    figure = plot_curves({"a": ([1, 10], [1e-3, 1.0], 1e-2)}, "x", "y", None, "log", "log")
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"
    figure_to_array(figure)


@pytest.mark.parametrize(
    "series, message",
    [({}, "at least one curve"), ({"a": ([1, 2], [1])}, r"'a' with shapes \(2,\), \(1,\)")],
)
def test_bad_curves_are_refused(series, message):
    with pytest.raises(ValueError, match=message):
        plot_curves(series, "x", "y")


# The image, and what is left alone


def test_figure_to_array_is_an_rgb_image():
    figure = uniform(["a", "b"], ["x"])
    width, height = figure.get_size_inches()
    image = figure_to_array(figure, dpi=50)
    assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3
    np.testing.assert_allclose(image.shape[:2], [height * 50, width * 50], atol=1)
    assert tuple(image[0, 0]) == (255, 255, 255)
    assert figure.dpi == 100


def test_pyplot_is_left_alone():
    backend = plt.get_backend()
    plt.switch_backend("svg")
    try:
        mine = plt.figure()
        canvas = mine.canvas
        for _ in range(25):  # pyplot warns at 20 open figures
            figure_to_array(uniform(["a", "b"], ["x"]))
        figure_to_array(plot_curves({"a": ([1, 2], [1, 2])}, "x", "y"))
        figure_to_array(mine)
        assert plt.get_fignums() == [mine.number] and plt.gcf() is mine
        assert plt.get_backend() == "svg" and mine.canvas is canvas
    finally:
        plt.close("all")
        plt.switch_backend(backend)


def test_threads_draw_the_same_picture():
    source, target = ["the", "dog", "[END]"], ["le", "chien"]
    expected, images = figure_to_array(uniform(source, target)), []
    draw = lambda: images.append(figure_to_array(uniform(source, target)))  # noqa: E731
    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(images) == 4 and all(np.array_equal(image, expected) for image in images)


@pytest.mark.parametrize(
    ("x", "scale", "labels"),
    [
        ([5, 10, 20, 50], "linear", ["5", "10", "20", "50"]),
        ([20, 200], "log", ["20", "200"]),
        ([1, 2, 1000], "linear", None),  # they would overlap
        ([7.5, 15.5], "linear", None),
        (list(range(50)), "linear", None),
    ],
)
def test_ticks_stand_at_a_few_whole_places(x, scale, labels):
    figure = plot_curves({"a": (x, x), "b": (x[:1], x[:1])}, "lag", "right", x_scale=scale)
    [axes] = figure.axes
    figure.canvas.draw()
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert shown == labels if labels else shown != [str(place) for place in x]
    if labels:
        assert axes.get_xticks(minor=True).size == 0


def test_the_lower_of_two_equal_curves_shows_through():
    figure = plot_curves({"a": ([1, 2], [1, 1]), "b": ([1, 2], [1, 1])}, "x", "y")
    one, other = figure.axes[0].lines
    assert one.get_linestyle() == "-" and other.get_linestyle() == "--"
