"""Writes the logs in this folder with the libraries that people use: a loss with one jump, from 1
to 1/4.

    pip install numpy pandas polars pyarrow safetensors tensorboard tensorboardX torch
    python write.py
"""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.torch import save_file
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.summary.writer.record_writer import RecordWriter
from tensorboardX import SummaryWriter as SummaryWriterX
from torch.utils.tensorboard import SummaryWriter

HERE = Path(__file__).parent
STEPS = 60
START = 1.7e9


def loss(step: int) -> float:
    """Exactly what the tests expect, in double precision."""
    return 1.0 - 0.75 / (1.0 + math.exp((20 - step) / 0.5))


def fresh(name: str) -> Path:
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def rename(folder: Path, number: int) -> None:
    """Names without the machine's."""
    for path in sorted(folder.glob("events.out.tfevents.*.*")):
        if not path.name.endswith(".example"):
            path.rename(folder / f"events.out.tfevents.{1700000000 + 100 * number}.example")


def torch_writer() -> None:
    """Simple values beside a histogram and text, twice: the second file begins again at step 30."""
    folder = fresh("torch")
    for number, steps in enumerate([range(40), range(30, STEPS)]):
        with SummaryWriter(str(folder)) as writer:
            for step in steps:
                now = START + 100 * number + step
                stale = 5.0 if number == 0 and step >= 30 else 0.0
                writer.add_scalar("train/loss", loss(step) + stale, step, walltime=now)
                if step % 20 == 0:
                    writer.add_histogram("weights", np.arange(4.0), step, walltime=now)
                    writer.add_text("words", "a word", step, walltime=now)
        rename(folder, number)


def tensorboard_x() -> None:
    folder = fresh("tensorboardX")
    with SummaryWriterX(str(folder), write_to_disk=True) as writer:
        for step in range(STEPS):
            writer.add_scalar("loss", loss(step), step, walltime=START + step)
            writer.add_scalar("rate", 0.1, step, walltime=START + step)
    rename(folder, 0)


def tensors() -> None:
    """Scalars as tensors of every type, as TensorFlow 2 has them; a record cut short at the end."""
    folder = fresh("tensors")
    path = folder / "events.out.tfevents.1700000000.example"
    arrays = {
        "float": (1, lambda x: {"float_val": [x]}),
        "double": (2, lambda x: {"double_val": [x]}),
        "float.content": (1, lambda x: {"tensor_content": np.float32(x).tobytes()}),
        "double.content": (2, lambda x: {"tensor_content": np.float64(x).tobytes()}),
        "half": (19, lambda x: {"half_val": [int(np.float16(x).view(np.uint16))]}),
        "half.content": (19, lambda x: {"tensor_content": np.float16(x).tobytes()}),
        "int": (3, lambda x: {"int_val": [round(-100 * x)]}),
        "int64.content": (9, lambda x: {"tensor_content": np.int64(round(-100 * x)).tobytes()}),
        "zero": (1, lambda x: {}),
    }
    pair = TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)])
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=START, file_version="brain.Event:2").SerializeToString())
        for step in range(STEPS):
            values = [
                Summary.Value(tag=tag, tensor=TensorProto(dtype=dtype, **content(loss(step))))
                for tag, (dtype, content) in arrays.items()
            ]
            two = TensorProto(dtype=1, tensor_shape=pair, float_val=[1.0, 2.0])
            values.append(Summary.Value(tag="two", tensor=two))
            event = Event(wall_time=START + 1 + step, step=step, summary=Summary(value=values))
            writer.write(event.SerializeToString())
        writer.flush()
        whole = file.tell()
        writer.write(Event(wall_time=START + 99, step=99).SerializeToString())
    with open(path, "r+b") as file:
        file.truncate(whole + 17)


def parquet() -> None:
    folder = fresh("parquet")
    frame = pd.DataFrame({"step": range(STEPS), "loss": [loss(step) for step in range(STEPS)]})
    frame.to_parquet(folder / "pandas.parquet")
    gaps = [None if step % 7 == 3 else loss(step) for step in range(STEPS)]
    table = pa.table({"step": pa.array(range(STEPS), pa.int32()), "loss": pa.array(gaps)})
    pq.write_table(table, folder / "optional.parquet", use_dictionary=True, row_group_size=25)
    pq.write_table(table, folder / "plain.parquet", compression="none", use_dictionary=False)
    pl.from_pandas(frame).write_parquet(folder / "zstd.parquet")
    lists = pa.table({"step": [0, 1], "loss": [[1.0, 2.0], [3.0]], "name": ["a", "b"]})
    pq.write_table(lists, folder / "lists.parquet")


def trainer() -> None:
    """A trainer's state, as Hugging Face's writes it: other metrics in between, a summary at the
    end.
    """
    history: list[dict[str, float]] = []
    for step in range(STEPS):
        history.append({"epoch": step / 10, "loss": loss(step), "step": step})
        if step % 10 == 0:
            history.append({"epoch": step / 10, "eval_loss": 2 * loss(step), "step": step})
    history.append({"epoch": 6.0, "step": STEPS, "train_loss": 0.5, "train_runtime": 1.5})
    state = {"best_metric": None, "global_step": STEPS, "log_history": history}
    (HERE / "trainer_state.json").write_text(json.dumps(state, indent=1))


def checkpoints() -> None:
    """Tensors of four types, of which `layers.1.weight` alone moves at the jump."""
    folder = fresh("checkpoints")
    base = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)
    for step in range(0, STEPS, 10):
        way = (1.0 - loss(step)) / 0.75
        save_file(
            {
                "embed": (base + 0.125 * way).to(torch.bfloat16),
                "layers.0.weight": base + 0.25 * way,
                "layers.1.weight": (base + 4.0 * way).to(torch.float32),
                "head": (base[0] + 0.5 * way).to(torch.float16),
                "positions": torch.arange(4),
            },
            folder / f"step-{step}.safetensors",
        )
    rows = [f"{step},{loss(step)!r}" for step in range(STEPS)]
    (folder / "log.csv").write_text("\n".join(["step,loss", *rows]) + "\n")
    (folder / "checkpoints.toml").write_text('loss = "log.csv"\nfiles = "step-*.safetensors"\n')


if __name__ == "__main__":
    torch_writer()
    tensorboard_x()
    tensors()
    parquet()
    trainer()
    checkpoints()
