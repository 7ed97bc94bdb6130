"""The model card: checkpoints/NAME/README.md, written from the JSON files beside it and from nothing else."""

import json
from pathlib import Path
from typing import Any

from transformer.checkpoint import CONFIG, replace_file
from transformer.config import ModelConfig
from transformer.model import Transformer
from transformer.training.loop import CURVES, SETTINGS
from transformer.training.score_table import APART, CLEAN, JOINED, SLOPPY, load_endings, load_scores, weights_digest
from transformer.training.settings import DROPOUTS, TrainingError, TrainingSettings

CARD, ABOUT_DATA = "README.md", "data.json"
#: What the card shows if it is there: a figure of the curves, as viz draws it, and a section on what else was tried.
FIGURE, TRIALS = "curves.svg", "trials.md"
#: What data.json says; "notes" may be left out.
_ABOUT = ("name", "url", "attribution", "licence", "licence_id", "licence_url")

Table = dict[str, Any]


def check_about_data(text: str) -> dict[str, str]:
    """What a data.json says of the data. Raises TrainingError for one that lacks something."""
    try:
        about = json.loads(text)
    except ValueError as error:
        raise TrainingError(f"what is known about the data must be JSON: {error}") from error
    missing = [name for name in _ABOUT if not isinstance(about, dict) or not isinstance(about.get(name), str)]
    if missing:
        raise TrainingError(f"what is known about the data must name, as text: {', '.join(missing)}")
    return dict(about)


def write_card(checkpoint: Path) -> Path:
    """Raises TrainingError where a file that it needs is missing."""
    path = checkpoint / CARD
    replace_file(path, model_card(checkpoint).encode())
    return path


def model_card(checkpoint: Path) -> str:
    """Markdown with a YAML head, from config.json, training.json and curves.json, and from what else is there.

    That is scores.json, data.json, curves.svg and trials.md.
    """
    config = ModelConfig.from_json(_read(checkpoint / CONFIG))
    settings = TrainingSettings.from_json(_read(checkpoint / SETTINGS))
    curves = json.loads(_read(checkpoint / CURVES))
    points = curves["validation"]
    about = check_about_data(_read(checkpoint / ABOUT_DATA)) if (checkpoint / ABOUT_DATA).exists() else None
    digest = weights_digest(checkpoint)
    tables = {split: table for split, table in load_scores(checkpoint).items() if table["weights"] == digest}
    name = checkpoint.resolve().name
    parts = [
        _front_matter(settings, about),
        _introduction(name, config, settings),
        _how_to_use(name, settings),
        _scores(tables, points, settings),
        *_endings(load_endings(checkpoint)),
        _data(about, settings),
        _training(name, settings, curves, has_figure=(checkpoint / FIGURE).exists()),
        *([_read(checkpoint / TRIALS).strip()] if (checkpoint / TRIALS).exists() else []),
        _limits(config, settings),
    ]
    return "\n\n".join(parts) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"the model card needs {path}, which cannot be read ({error.strerror})") from error


def _front_matter(settings: TrainingSettings, about: dict[str, str] | None) -> str:
    lines = ["---", "language:", *(f"- {code}" for code in sorted(settings.columns))]
    lines += [f"license: {about['licence_id']}"] if about else []
    lines += ["pipeline_tag: translation", "tags:", "- translation", "- transformer", "- attention", "- from-scratch"]
    return "\n".join([*lines, "metrics:", "- bleu", "- chrf", "---"])


def _introduction(name: str, config: ModelConfig, settings: TrainingSettings) -> str:
    parameters = Transformer(config).num_parameters()
    first, second = settings.columns
    return f"""# {name}

A small encoder-decoder Transformer that translates {second} to {first} and {first} to {second}, trained from scratch
by Headlight, which shows what each of its attention heads looks at. It is made to be looked at and learned from, not to
replace a translation service.

| | |
| --- | --- |
| parameters | {parameters:,} |
| layers | {config.num_encoder_layers} encoder, {config.num_decoder_layers} decoder |
| heads a layer | {config.num_heads} |
| d_model, d_ff | {config.d_model}, {config.d_ff} |
| vocabulary | {config.source_vocab_size:,} SentencePiece pieces for both languages |
| longest text | {config.max_length} tokens, special ones included |
| normalisation | {"before" if config.norm_first else "after"} each sublayer |
| weights on disk | 16-bit floats |"""


def _how_to_use(name: str, settings: TrainingSettings) -> str:
    return f"""## Use

    from transformer import Translator

    translator = Translator.from_pretrained("checkpoints/{name}")
    translator.translate(text, target="{settings.columns[0]}").text

A tag at the head of the source names the wanted language: `<2{settings.columns[0]}>` or `<2{settings.columns[1]}>`."""


def _scores(tables: dict[str, Table], points: list[dict[str, float]], settings: TrainingSettings) -> str:
    if not tables:
        return "## Scores\n\n" + _validation_scores(points, settings)
    return "## Scores\n\n" + "\n\n".join(_split_scores(split, table) for split, table in tables.items())


def _validation_scores(points: list[dict[str, float]], settings: TrainingSettings) -> str:
    if not points:
        return "Not measured yet."
    best = _best(points)
    second_first, first_second = _directions(settings)
    return f"""On valid.tsv, as measured during training (step {best["step"]}): greedy decoding, each distinct source
once, against its first translation in the file, by sacrebleu's defaults. The same scores chose the checkpoint.

| | BLEU | chrF |
| --- | --- | --- |
| {second_first} | {best[f"bleu_{second_first}"]:.2f} | {best[f"chrf_{second_first}"]:.2f} |
| {first_second} | {best[f"bleu_{first_second}"]:.2f} | {best[f"chrf_{first_second}"]:.2f} |"""


def _split_scores(split: str, table: Table) -> str:
    rows = table["rows"]
    names = list(dict.fromkeys(row["direction"] for row in rows))
    clean = [row for row in rows if row["input"] == CLEAN]
    lines = [
        f"| {row['direction']} | {_decoding(row)} | {row['references']} | {row['sentences']} "
        f"| {row['bleu']:.2f} | {row['chrf']:.2f} |"
        for row in clean
    ]
    first, every = (next(row for row in clean if row["references"] == kind) for kind in ("first", "all"))
    note = " These pairs also chose the checkpoint among those of the run." if split == "valid" else ""
    return f"""### {split}.tsv

{table["pairs"]:,} pairs; each distinct source once, against its first translation in the file or against all.{note}

| direction | decoding | references | texts | BLEU | chrF |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(lines)}

sacrebleu signatures: BLEU `{first["bleu_signature"]}`, chrF `{first["chrf_signature"]}`; with all references
`{every["bleu_signature"]}` and `{every["chrf_signature"]}`.

Sources made sloppy, and neighbouring sources joined (greedy, first reference); in brackets the distance to the same
texts clean, or translated one by one and joined afterwards:

| input | {" | ".join(f"{name} BLEU" for name in names)} |
| --- |{" --- |" * len(names)}
{chr(10).join(_comparison(rows, names, kind, CLEAN) for kind in SLOPPY)}
{chr(10).join(_comparison(rows, names, kind, APART.format(kind)) for kind in JOINED)}{_heads(table)}"""


def _decoding(row: Table) -> str:
    return "greedy" if row["beam_size"] == 1 else f"beam {row['beam_size']}"


def _comparison(rows: list[Table], names: list[str], kind: str, base: str) -> str:
    def bleu(direction: str, wanted: str) -> float:
        keys = (direction, wanted, 1, "first")
        return next(
            float(row["bleu"])
            for row in rows
            if (row["direction"], row["input"], row["beam_size"], row["references"]) == keys
        )

    cells = (f"{bleu(name, kind):.2f} ({bleu(name, kind) - bleu(name, base):+.2f})" for name in names)
    return f"| {kind} | {' | '.join(cells)} |"


def _heads(table: Table) -> str:
    report = table.get("heads")
    if report is None:
        return ""
    layer, head = report["best"]
    text = f"""

Of the cross-attention heads, layer {layer + 1}, head {head + 1} points best at words that are copied unchanged (names,
numbers): {_pointing(report)}, each type counted once."""
    together = table.get("heads_with_valid")
    if together is not None:
        layer, head = together["best"]
        text += f""" On valid and test together, the head
that valid chose, layer {layer + 1}, head {head + 1}, reaches {_pointing(together)}."""
    return text


def _pointing(report: Table) -> str:
    layer, head = report["best"]
    share = report["accuracy"][layer][head]
    return f"{100 * share:.1f} % of {report['types']} word types ({report['words']} words)"


def _endings(endings: Table | None) -> list[str]:
    """The section on whether decoding ends; none where it was not counted."""
    if endings is None:
        return []
    lines = [
        f"| {name} | {counts['texts']:,} | {counts['ended']:,} | {counts['cut']:,} | {counts['longest']} "
        f"| {counts['most_copies']} |"
        for name, counts in (("train.tsv and valid.tsv", endings["corpus"]), ("1,000 of chance", endings["random"]))
    ]
    return [
        f"""## Endings

Every distinct text of the corpus into the other language, and texts of chance (letters, scripts, pieces, one word over
and over, digits and marks) into both, decoded greedily. An output that the model does not end is cut at the length
limit or when it goes in circles, and the page says so. The last column counts the copies of one phrase, one behind the
other, in any output whose source repeats nothing.

| texts | translations | ended by the model | cut | longest, tokens | most copies |
| --- | --- | --- | --- | --- | --- |
{chr(10).join(lines)}"""
    ]


def _data(about: dict[str, str] | None, settings: TrainingSettings) -> str:
    if about is None:
        return (
            "## Data\n\nNot recorded. Whoever shares this checkpoint says here what it was trained on, and the licence."
        )
    notes = f"\n\n{about['notes']}" if about.get("notes") else ""
    return f"""## Data

Trained on [{about["name"]}]({about["url"]}), licence [{about["licence"]}]({about["licence_url"]}).
Attribution: "{about["attribution"]}".{notes}

Both directions were learned from the same pairs: {settings.noise:.0%} of the sources were made sloppy (lower case, no
accents, no final punctuation, no opening marks, doubled spaces), {settings.joined:.0%} of the pairs were joined with
one or two others, and {settings.sampled:.0%} of the sources were split into pieces by chance."""


def _training(name: str, settings: TrainingSettings, curves: Table, has_figure: bool) -> str:
    start = "" if settings.init_from is None or settings.started_from else f" from the weights of {settings.init_from}"
    figure = f"\n\n![Loss and BLEU over the steps of training]({FIGURE})" if has_figure else ""
    return f"""## Training

{_progress(settings, curves["validation"])}{_alignment(settings)}
`{SETTINGS}` holds all settings, `{CURVES}` the curves. To train it again{start}:

    python -m transformer.training --settings checkpoints/{name}/{SETTINGS} --data FOLDER --checkpoint NEW --state STATE

The same versions on the same machine give the same curve; elsewhere rounding differs, and the scores come out close
but not equal.{figure}

{_runs(settings, curves)}"""


#: Settings that the table of runs leaves out: the card tells them elsewhere.
_APART = ("model", "columns", "init_from", "started_from")


def _runs(settings: TrainingSettings, curves: Table) -> str:
    """One column a run, the first one first: what was set, and what it gave on valid.tsv."""
    runs, found = [settings], [curves]
    while (before := runs[0].started_from) is not None:
        runs.insert(0, before)
        found.insert(0, found[0].get("started_from") or {"validation": []})
    values = [
        {name: value for name, value in json.loads(run.to_json()).items() if name not in _APART}
        | {name: getattr(run.model, name) for name in DROPOUTS}
        for run in runs
    ]
    names = ["run", *(str(number) for number in range(1, len(runs) + 1))]
    lines = [[name, *(str(each[name]) for each in values)] for name in values[0]]
    lines += [_gave(what, found) for what in _directions(settings)]
    lines.append(["minutes", *(_minutes(each["validation"]) for each in found)])
    rows = [names, ["---"] * len(names), *lines]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    if len(runs) == 1:
        return table
    return f"""Each run went on from the best weights of the one before, with fresh optimizer and schedule; the
command above trains them all.

{table}"""


def _minutes(points: list[dict[str, float]]) -> str:
    return f"{points[-1]['seconds'] / 60:.0f}" if points else "?"


def _gave(direction: str, curves: list[Table]) -> list[str]:
    """Greedy BLEU on valid.tsv of each run's best step."""
    bests = [_best(each["validation"])[f"bleu_{direction}"] if each["validation"] else None for each in curves]
    return [f"{direction} BLEU on valid.tsv", *("?" if best is None else f"{best:.2f}" for best in bests)]


def _alignment(settings: TrainingSettings) -> str:
    if settings.aligned_head is None:
        return ""
    layer, head = settings.aligned_head
    return (
        f" Beside translating, layer {layer + 1}, head {head + 1} of the cross-attention was trained to align: to look "
        "at the source words that statistics pair with the word being written (Garg et al. 2019)."
    )


def _progress(settings: TrainingSettings, points: list[dict[str, float]]) -> str:
    if not points:
        return "Not validated yet."
    best, last = _best(points), points[-1]
    told = (
        f"The weights are those of step {best['step']} of {settings.steps}, "
        "the best mean BLEU of both directions on valid.tsv"
    )
    if last["step"] < settings.last_step:
        return f"{told} so far: when this was written, training stood at step {last['step']}."
    return f"{told}. Training took {last['seconds'] / 60:.0f} minutes in all."


def _limits(config: ModelConfig, settings: TrainingSettings) -> str:
    return f"""## Limits

It knows only what its data holds: rare words, long texts and other styles go wrong, often fluently. It may invent, drop
or repeat things, and it repeats whatever bias the data has. Texts over {config.max_length - 2} pieces are cut.
Languages other than {" and ".join(settings.columns)} were never seen. An attention weight shows where a head looked,
which is not yet why the model wrote a word. Do not use it where a wrong translation does harm."""


def _best(points: list[dict[str, float]]) -> dict[str, float]:
    """The last of the best, as the loop keeps it."""
    return max(reversed(points), key=lambda point: point["mean_bleu"])


def _directions(settings: TrainingSettings) -> tuple[str, str]:
    """Second column to first, first to second: the order of every table."""
    first, second = settings.columns
    return f"{second}-{first}", f"{first}-{second}"
