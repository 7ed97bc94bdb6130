"""The training loop: Accelerate for devices, precision and processes; resumable after being killed at any moment.

B batch, S source length, T target length, V target vocabulary.
"""

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from transformer.checkpoint import WEIGHTS, load_weights, save_checkpoint
from transformer.masks import pad
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.training.data import Batch, Pair, epoch_batches
from transformer.training.evaluation import Scores, score_both
from transformer.training.settings import TrainingSettings

#: Files of a checkpoint folder that training adds to those of `transformer.checkpoint`.
SETTINGS, CURVES = "training.json", "curves.json"


class Objective(nn.Module):
    """Model and loss in one module, so that only a sum leaves it and not logits of (B, T, V)."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.label_smoothing = label_smoothing

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, S), target (B, T + 1) -> summed cross-entropy in nats of target[:, 1:], padding left out."""
        padding_id = self.model.config.padding_id
        states = self.model.decode(target[:, :-1], self.model.encode(source)).states  # (B, T, D)
        wanted = target[:, 1:]
        real = wanted != padding_id
        logits = self.model.projection(states[real])  # (tokens, V): no work for padding
        return functional.cross_entropy(
            logits.float(), wanted[real], reduction="sum", label_smoothing=self.label_smoothing
        )


class Run:
    """One training run: where it stands, and what it wrote on the way."""

    def __init__(
        self,
        settings: TrainingSettings,
        tokenizer: Tokenizer,
        checkpoint: Path,
        state: Path,
        accelerator: Accelerator,
        init_from: Path | None = None,
    ) -> None:
        self.settings, self.tokenizer = settings, tokenizer
        self.checkpoint, self.state, self.accelerator = checkpoint, state, accelerator
        torch.manual_seed(settings.seed)
        self.model = Transformer(settings.model)
        if init_from is not None:
            load_weights(init_from / WEIGHTS, self.model)
        optimizer = torch.optim.AdamW(
            _parameter_groups(self.model, settings.weight_decay), lr=settings.learning_rate, betas=(0.9, 0.98)
        )
        self.objective, self.optimizer = accelerator.prepare(Objective(self.model, settings.label_smoothing), optimizer)
        self.curves: dict[str, list[dict[str, float]]] = {"training": [], "validation": []}
        self.step = 0
        self.seconds = 0.0

    def train(self, train_pairs: Sequence[Pair], valid_pairs: Sequence[Pair], save_every: float = 120.0) -> None:
        """Train to the last step; save the state every `save_every` seconds, the checkpoint when validation is best."""
        self._resume()
        self.objective.train()
        bar = tqdm(
            total=self.settings.steps, initial=self.step, disable=not self.accelerator.is_main_process, unit="step"
        )
        started = saved = time.monotonic()
        before = self.seconds
        loss_sum = tokens = 0.0
        since = time.monotonic()
        for batch in self._batches(train_pairs):
            loss, count = self._update(batch)
            self.step += 1
            loss_sum, tokens = loss_sum + loss, tokens + count
            self.seconds = before + time.monotonic() - started
            bar.update()
            if self.step % 50 == 0:
                speed = tokens / (time.monotonic() - since)
                self.curves["training"].append({"step": self.step, "loss": round(loss_sum / tokens, 4)})
                bar.set_postfix_str(f"loss {loss_sum / tokens:.3f}, {speed:.0f} tokens/s")
                loss_sum, tokens, since = 0.0, 0.0, time.monotonic()
            if self.step % self.settings.validate_every == 0 or self.step == self.settings.steps:
                self._validate(valid_pairs)
                since = time.monotonic()
            if self.step % 50 == 0 and (time.monotonic() - saved > save_every or self.step == self.settings.steps):
                self._save_state()
                saved = time.monotonic()
        bar.close()

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[Batch]:
        """This process's share of every batch, from the present step to the last."""
        epoch = done = 0
        while self.step < self.settings.steps:
            batches = epoch_batches(pairs, self.tokenizer, self.settings, epoch)
            if done + len(batches) > self.step:
                for batch in batches[self.step - done :]:
                    if self.step >= self.settings.steps:
                        return
                    yield batch
            done += len(batches)
            epoch += 1

    def _update(self, batch: Batch) -> tuple[float, float]:
        """One optimizer step on one batch, split among the processes; the loss summed and its tokens."""
        count = sum(len(example.target) - 1 for example in batch)
        share = batch[self.accelerator.process_index :: self.accelerator.num_processes] or batch[:1]
        device, padding_id = self.accelerator.device, self.settings.model.padding_id
        source = pad([example.source for example in share], padding_id, device)  # (B, S)
        target = pad([example.target for example in share], padding_id, device)  # (B, T + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self.optimizer.zero_grad()
        loss = self.objective(source, target)
        # Gradients are averaged over processes; times their number, this is the mean over the whole batch's tokens.
        self.accelerator.backward(loss * (self.accelerator.num_processes / count))
        self.accelerator.clip_grad_norm_(self.objective.parameters(), 1.0)
        self.optimizer.step()
        return float(self.accelerator.reduce(loss.detach(), "sum")), count

    def _learning_rate(self) -> float:
        """Linear warm-up, then linear decay to zero."""
        rising = (self.step + 1) / max(1, self.settings.warmup_steps)
        falling = (self.settings.steps - self.step) / max(1, self.settings.steps - self.settings.warmup_steps)
        return self.settings.learning_rate * min(rising, falling)

    def _validate(self, pairs: Sequence[Pair]) -> None:
        """Score by greedy decoding; keep the checkpoint if the mean BLEU of both directions is the best so far."""
        if self.accelerator.is_main_process:
            scores = score_both(self.model, self.tokenizer, pairs, self.settings.columns)
            best = max((point["mean_bleu"] for point in self.curves["validation"]), default=-1.0)
            self.curves["validation"].append(_validation_point(self.step, self.seconds, scores))
            tqdm.write(json.dumps(self.curves["validation"][-1]))
            if self.curves["validation"][-1]["mean_bleu"] >= best:
                save_checkpoint(self.checkpoint, self.model, self.tokenizer)
                (self.checkpoint / SETTINGS).write_text(self.settings.to_json())
            (self.checkpoint / CURVES).write_text(json.dumps(self.curves) + "\n")
        self.accelerator.wait_for_everyone()

    def _save_state(self) -> None:
        """Write the new state beside the old one and then swap, so that a kill at any moment leaves one whole."""
        fresh, current = self.state / "fresh", self.state / "current"
        self.accelerator.save_state(str(fresh))
        if self.accelerator.is_main_process:
            position = {"step": self.step, "seconds": self.seconds, "curves": self.curves}
            (fresh / "position.json").write_text(json.dumps(position))
            shutil.rmtree(self.state / "old", ignore_errors=True)
            if current.exists():
                current.rename(self.state / "old")
            fresh.rename(current)
        self.accelerator.wait_for_everyone()

    def _resume(self) -> None:
        for name in ("current", "old"):  # "old" alone: killed between the two renames
            folder = self.state / name
            if (folder / "position.json").exists():
                self.accelerator.load_state(str(folder))
                position = json.loads((folder / "position.json").read_text())
                self.step, self.seconds, self.curves = position["step"], position["seconds"], position["curves"]
                return


def _parameter_groups(model: Transformer, weight_decay: float) -> list[dict[str, object]]:
    """Matrices decay, vectors (biases, normalisation) do not."""
    parameters = list(model.parameters())
    return [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]


def _validation_point(step: int, seconds: float, scores: dict[str, Scores]) -> dict[str, float]:
    point: dict[str, float] = {"step": step, "seconds": round(seconds)}
    point["mean_bleu"] = round(sum(each.bleu for each in scores.values()) / len(scores), 3)
    for direction, each in scores.items():
        point[f"bleu_{direction}"], point[f"chrf_{direction}"] = each.bleu, each.chrf
    return point
