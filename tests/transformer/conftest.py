"""A tokenizer, a model and a checkpoint so small that every test can afford them. All sentences are our own."""

from pathlib import Path
from typing import Any

import pytest
import torch

from transformer.checkpoint import save_checkpoint
from transformer.config import ModelConfig
from transformer.model import Transformer
from transformer.tokenizer import Tokenizer
from transformer.translator import Translator

PAIRS = [
    ("Me gusta estudiar.", "I like to study."),
    ("Me gusta leer por la noche.", "I like to read at night."),
    ("El gato duerme en la casa.", "The cat sleeps in the house."),
    ("La casa es grande y azul.", "The house is big and blue."),
    ("¿Dónde está mi libro?", "Where is my book?"),
    ("El libro está en la mesa.", "The book is on the table."),
    ("Mi hermana vive en Madrid.", "My sister lives in Madrid."),
    ("Nosotros comemos pan y queso.", "We eat bread and cheese."),
    ("Hoy llueve mucho.", "It rains a lot today."),
    ("Mañana iremos al mar.", "Tomorrow we will go to the sea."),
    ("Tengo tres perros y dos gatos.", "I have three dogs and two cats."),
    ("Ella canta muy bien.", "She sings very well."),
    ("No sé qué decir.", "I do not know what to say."),
    ("¿Quieres tomar café conmigo?", "Do you want to have coffee with me?"),
    ("El tren sale a las 7.", "The train leaves at 7."),
    ("Los niños juegan en el parque.", "The children play in the park."),
    ("Mi padre trabaja en un banco.", "My father works in a bank."),
    ("Nadie me ha visto.", "Nobody has seen me."),
    ("La puerta estaba abierta.", "The door was open."),
    ("Cierra la ventana, por favor.", "Close the window, please."),
    ("Estoy aprendiendo a nadar.", "I am learning to swim."),
    ("El agua está fría.", "The water is cold."),
    ("Este año viajaremos al sur.", "This year we will travel south."),
    ("¿Cuántos años tienes?", "How old are you?"),
    ("Tengo 15 años.", "I am 15 years old."),
    ("La música me hace feliz.", "Music makes me happy."),
    ("Perdí las llaves del coche.", "I lost the car keys."),
    ("El médico llegó tarde.", "The doctor came late."),
    ("Quiero aprender otra lengua.", "I want to learn another language."),
    ("Gracias por tu ayuda.", "Thank you for your help."),
]

START_ID, END_ID = 2, 3

#: Small enough for thousands of steps a second; encoder and decoder differ in depth, so that no test can mix them up.
TINY = {
    "source_vocab_size": 200,
    "target_vocab_size": 200,
    "d_model": 16,
    "num_heads": 4,
    "num_encoder_layers": 3,
    "num_decoder_layers": 2,
    "d_ff": 24,
    "max_length": 40,
    "norm_first": True,
    "final_norm": True,
    "tie_output": False,
    "output_bias": True,
}


def tiny_config(**changes: Any) -> ModelConfig:
    return ModelConfig(**(TINY | changes))


def tiny_model(seed: int = 2, **changes: Any) -> Transformer:
    """A random model in eval mode. Every parameter is noise, biases and norms too, so that each one matters.

    With the default seed its greedy outputs have many lengths, and some run into the limit.
    """
    torch.manual_seed(seed)
    model = Transformer(tiny_config(**changes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
        if model.config.output_bias:
            model.projection.bias[END_ID] += 2.0
    return model


@pytest.fixture(autouse=True)
def _one_seed() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([text for pair in PAIRS for text in pair], TINY["target_vocab_size"], ["en", "es"])


@pytest.fixture(scope="session")
def model() -> Transformer:
    return tiny_model()


@pytest.fixture(scope="session")
def translator(model: Transformer, tokenizer: Tokenizer) -> Translator:
    return Translator(model, tokenizer, "tiny")


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, model: Transformer, tokenizer: Tokenizer) -> Path:
    """A checkpoint folder; tests that harm it copy it first."""
    folder = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(folder, model, tokenizer)
    return folder
