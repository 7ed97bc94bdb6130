"""The training loop: Accelerate for devices, precision and processes; resumable after being killed at any moment.

B batch, S source length, T target length, V target vocabulary.
"""

import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from transformer.checkpoint import WEIGHTS, load_weights, replace_file, save_checkpoint
from transformer.masks import pad
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.alignment import align
from transformer.training.data import Batch, Pair, epoch_batches
from transformer.training.evaluation import Scores, score_both
from transformer.training.settings import TrainingError, TrainingSettings
from transformer.training.state import Position, StateFolder

#: Files of a checkpoint folder that training adds to those of `transformer.checkpoint`.
SETTINGS, CURVES = "training.json", "curves.json"

#: Steps that one point of the training curve sums up.
_CURVE_STEPS = 50


class Objective(nn.Module):
    """Model and losses in one module, so that only two sums leave it and not logits of (B, T, V)."""

    def __init__(self, model: Transformer, label_smoothing: float, aligned_head: tuple[int, int] | None = None) -> None:
        super().__init__()
        self.model = model
        self.label_smoothing = label_smoothing
        self.aligned_head = aligned_head

    def forward(self, source: Tensor, target: Tensor, aligned: Tensor | None) -> tuple[Tensor, Tensor]:
        """source (B, S), target (B, T + 1), aligned (B, T, S): how much it counts that a row looks there, else 0.

        Gives two sums in nats: cross-entropy of target[:, 1:] without padding, and -log of the share of its attention
        that the aligned head gives to the aligned columns, over the rows that have any, each as much as it counts.
        """
        padding_id = self.model.config.padding_id
        decoded = self.model.decode(target[:, :-1], self.model.encode(source))  # states (B, T, D)
        wanted = target[:, 1:]
        real = wanted != padding_id
        logits = self.model.projection(decoded.states[real])  # (tokens, V): no work for padding
        loss = functional.cross_entropy(
            logits.float(), wanted[real], reduction="sum", label_smoothing=self.label_smoothing
        )
        if aligned is None or self.aligned_head is None:
            return loss, torch.zeros_like(loss)
        layer, head = self.aligned_head
        weights = decoded.attentions[layer].cross_attention.weights[:, head].float()  # (B, T, S)
        counts = aligned.amax(-1)  # (B, T)
        share = (weights * (aligned > 0)).sum(-1)[counts > 0]  # (rows)
        return loss, -((share + 1e-6).log() * counts[counts > 0]).sum()


class Run:
    """One training run: model, optimizer and where it stands. All processes make the same one."""

    def __init__(
        self,
        settings: TrainingSettings,
        tokenizer: Tokenizer,
        checkpoint: Path,
        state: StateFolder,
        accelerator: Accelerator,
    ) -> None:
        self.settings, self.tokenizer = settings, tokenizer
        self.checkpoint, self.state, self.accelerator = checkpoint, state, accelerator
        torch.manual_seed(settings.seed)
        self.model = Transformer(settings.model)
        if settings.init_from is not None:
            load_weights(Path(settings.init_from) / WEIGHTS, self.model)
        if accelerator.process_index:  # the same dropout in all processes would be less noise than meant
            torch.manual_seed(settings.seed + 1_000_003 * accelerator.process_index)
        optimizer = torch.optim.AdamW(
            _parameter_groups(self.model, settings.weight_decay), lr=settings.learning_rate, betas=(0.9, 0.98)
        )
        objective = Objective(self.model, settings.label_smoothing, settings.aligned_head)
        self.objective, self.optimizer = accelerator.prepare(objective, optimizer)
        self.position = Position()
        self.earlier_curves = _curves_of(settings.init_from)

    def train(self, train_pairs: Sequence[Pair], valid_pairs: Sequence[Pair], save_every: float = 120.0) -> None:
        """Train to the last step; save the state every `save_every` seconds, the checkpoint when validation is best.

        Goes on where the state folder stands. Raises TrainingError when it cannot, or when the loss is not finite.
        """
        self._resume()
        self.objective.train()
        position, settings = self.position, self.settings
        before, started = position.seconds, time.monotonic()
        saved = measured = started
        tokens = 0
        with self._progress_bar() as bar:
            for batch in self._batches(train_pairs):
                tokens += self._update(batch)
                position.step += 1
                bar.update()
                last = position.step == settings.last_step
                if position.step % _CURVE_STEPS == 0 or last:
                    speed = tokens / (time.monotonic() - measured)
                    bar.set_postfix_str(f"loss {self._curve_point():.3f}, {speed:.0f} tokens/s", refresh=False)
                    tokens, measured = 0, time.monotonic()
                position.seconds = before + time.monotonic() - started
                if position.step % settings.validate_every == 0 or last:
                    self._validate(valid_pairs)
                    position.seconds = before + time.monotonic() - started
                if self._on_main(time.monotonic() - saved >= save_every) or last:
                    self.state.save(self.accelerator, position)
                    saved = time.monotonic()

    def _resume(self) -> None:
        self.position = self.state.load(self.accelerator)
        if self.position.curves["validation"] and not (self.checkpoint / WEIGHTS).exists():
            raise TrainingError(
                f"{self.state.folder} goes on from step {self.position.step}, but {self.checkpoint} lacks the best "
                "weights so far: give --checkpoint the folder that this run began with."
            )

    def _progress_bar(self) -> "tqdm[None]":
        return tqdm(
            total=self.settings.last_step,
            initial=self.position.step,
            disable=not self.accelerator.is_main_process,
            unit="step",
            mininterval=0.1 if sys.stderr.isatty() else 10.0,
            dynamic_ncols=True,
        )

    def _on_main(self, decision: bool) -> bool:
        """What the main process decides, so that clocks that differ do not part the processes."""
        if self.accelerator.num_processes == 1:
            return decision
        mine = torch.tensor(float(decision and self.accelerator.is_main_process), device=self.accelerator.device)
        return bool(self.accelerator.reduce(mine, "sum"))

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[Batch]:
        """Whole batches, from the present step to the last."""
        position = self.position
        links = align(pairs) if self.settings.alignment else None
        while position.step < self.settings.last_step:
            batches = epoch_batches(pairs, self.tokenizer, self.settings, position.epoch, links)
            if not batches:
                raise TrainingError(
                    f"every pair is longer than max_length, {self.settings.model.max_length} tokens: set it higher"
                )
            for batch in batches[position.step - position.epoch_start :]:
                if position.step == self.settings.last_step:
                    return
                yield batch
            position.epoch, position.epoch_start = position.epoch + 1, position.epoch_start + len(batches)

    def _update(self, batch: Batch) -> int:
        """One optimizer step on one batch, split among the processes; how many tokens it learned from."""
        count = sum(len(example.target) - 1 for example in batch)
        share = batch[self.accelerator.process_index :: self.accelerator.num_processes]
        device, padding_id = self.accelerator.device, self.settings.model.padding_id
        filled = share or batch[:1]  # every process must take part in every step, if only with a loss times 0
        source = pad([example.source for example in filled], padding_id, device)  # (B, S)
        target = pad([example.target for example in filled], padding_id, device)  # (B, T + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self.optimizer.zero_grad()
        aligned = _aligned_cells(filled, source, target) if self.settings.alignment else None
        loss, misaligned = self.objective(source, target, aligned)
        total = float(self.accelerator.reduce(loss.detach() * (1.0 if share else 0.0), "sum"))
        objective = (loss + self.settings.alignment * misaligned) * (1.0 if share else 0.0)
        # Gradients are averaged over processes; times their number, this is the mean over the whole batch's tokens.
        self.accelerator.backward(objective * (self.accelerator.num_processes / count))
        norm = float(self.accelerator.clip_grad_norm_(self.objective.parameters(), 1.0))
        if not (math.isfinite(total) and math.isfinite(norm)):
            raise TrainingError(
                f"step {self.position.step + 1} gave a loss of {total} and gradients of size {norm}: training has "
                "diverged and stops. Start anew with a lower --learning-rate, a longer --warmup-steps or "
                "--precision fp32."
            )
        self.optimizer.step()
        self.position.loss_sum += total
        self.position.tokens += count
        return count

    def _learning_rate(self) -> float:
        """Linear warm-up, then linear decay to zero."""
        step, steps, warmup = self.position.step, self.settings.steps, self.settings.warmup_steps
        rising = (step + 1) / max(1, warmup)
        falling = (steps - step) / max(1, steps - warmup)
        return self.settings.learning_rate * min(rising, falling)

    def _curve_point(self) -> float:
        """Close the present stretch of the training curve; its mean loss in nats a token."""
        loss = self.position.loss_sum / self.position.tokens
        self.position.curves["training"].append({"step": self.position.step, "loss": round(loss, 4)})
        self.position.loss_sum, self.position.tokens = 0.0, 0
        return loss

    def _validate(self, pairs: Sequence[Pair]) -> None:
        """Score by greedy decoding; keep the checkpoint if the mean BLEU of both directions is the best so far."""
        if self.accelerator.is_main_process:
            points = self.position.curves["validation"]
            best = max((point["mean_bleu"] for point in points), default=-1.0)
            scores = score_both(self.model, self.tokenizer, pairs, self.settings.columns)
            points.append(_validation_point(self.position, scores))
            kept = points[-1]["mean_bleu"] >= best
            if kept:
                save_checkpoint(self.checkpoint, self.model, self.tokenizer)
                replace_file(self.checkpoint / SETTINGS, self.settings.to_json().encode())
            curves = self.position.curves | {"started_from": self.earlier_curves}
            replace_file(self.checkpoint / CURVES, (json.dumps(curves) + "\n").encode())
            tqdm.write(_validation_line(self.position.step, scores, kept))
        self.accelerator.wait_for_everyone()


def _aligned_cells(batch: Batch, source: Tensor, target: Tensor) -> Tensor:
    """(B, T, S), how much a row counts where an output's word is aligned with a source's, else 0."""
    cells = torch.zeros(len(batch), target.size(1) - 1, source.size(1))
    for index, example in enumerate(batch):
        for row, columns, weight in example.aligned:
            cells[index, row, columns] = weight
    return cells.to(source.device)


def _parameter_groups(model: Transformer, weight_decay: float) -> list[dict[str, object]]:
    """Matrices decay, vectors (biases, normalisation) do not."""
    parameters = list(model.parameters())
    return [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]


def _curves_of(checkpoint: str | None) -> dict[str, object] | None:
    """What a checkpoint's curves.json says, and its "started_from" of the runs before it."""
    path = None if checkpoint is None else Path(checkpoint) / CURVES
    return json.loads(path.read_text(encoding="utf-8")) if path is not None and path.exists() else None


def _validation_point(position: Position, scores: dict[str, Scores]) -> dict[str, float]:
    point: dict[str, float] = {"step": position.step, "seconds": round(position.seconds)}
    point["mean_bleu"] = round(sum(each.bleu for each in scores.values()) / len(scores), 3)
    for direction, each in scores.items():
        point[f"bleu_{direction}"], point[f"chrf_{direction}"] = each.bleu, each.chrf
    return point


def _validation_line(step: int, scores: dict[str, Scores], kept: bool) -> str:
    parts = ", ".join(f"{direction} {each.bleu:.2f} BLEU {each.chrf:.2f} chrF" for direction, each in scores.items())
    return f"step {step}: {parts}{'; best so far, kept' if kept else ''}"
