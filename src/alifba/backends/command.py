"""A command-line program as a model: the prompt on its standard input, the answer on its standard output."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

from alifba.backends.base import Description, Generation
from alifba.backends.environment import SECRET_NAME, Scrubber
from alifba.config import Command, Model
from alifba.errors import InputError
from alifba.paths import resolve

_LOOK_EVERY_S = 0.02
_TOLD = 300
_SHOWN_VARIABLES = ("PATH", "LANG")


class CommandBackend:
    """Runs the program once for each prompt, at most `workers` at a time.

    Each time in an empty temporary folder, with an empty home, and of the environment only PATH, LANG and what
    ``pass_env`` names. The prompt never stands among the arguments. When the program ends, or its time is up, its
    whole process group is killed. An exit code other than 0, no output, output that is too long or no UTF-8: an error
    of that item. `max_new_tokens` and a declared stop are not enforced: the program decides.

    Raises:
        InputError: no such program, or a variable of ``pass_env`` is not set.
    """

    def __init__(self, model: Model) -> None:
        assert model.command is not None
        self._command = model.command
        self._argv = [_program(self._command.argv[0]), *map(_file_or_word, self._command.argv[1:])]
        self._environment = _environment(self._command)
        self._secrets = [self._environment[name] for name in self._command.pass_env if SECRET_NAME.search(name)]
        self._clean = Scrubber(self._secrets).clean
        self.description = Description(
            revision=_revision(self._command.argv, self._argv),
            precision="none",
            device="command",
            chat_template="command",
            batch_size=1,
            environment={
                "python": platform.python_version(),
                "platform": f"{platform.system()}-{platform.machine()}",
                "argv": [self._clean(word) for word in self._command.argv],
            },
            decoding={"max_new_tokens": None, "do_sample": True, "temperature": None, "seed": None, "stop": None},
        )

    def generate(
        self,
        prompts: Sequence[str],
        max_new_tokens: int,
        answered: frozenset[int] = frozenset(),
        stop: str | None = None,
    ) -> Iterator[Generation]:
        """Yield a generation per prompt not yet `answered`, in the order in which the programs end."""
        ended = threading.Event()
        todo = [(index, prompt) for index, prompt in enumerate(prompts) if index not in answered]
        with ThreadPoolExecutor(max_workers=self._command.workers) as pool:
            asked = [pool.submit(self._ask, index, prompt, ended) for index, prompt in todo]
            try:
                for future in as_completed(asked):
                    yield future.result()
            finally:
                # Whoever stops taking answers stops the programs too.
                ended.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, index: int, prompt: str, ended: threading.Event) -> Generation:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="alifba-", ignore_cleanup_errors=True) as folder:
            text, error = self._run(prompt, Path(folder), ended)
        seconds = round(time.monotonic() - begun, 3)
        return Generation(index, text, "end" if error is None else None, error=error, seconds=seconds)

    def _run(self, prompt: str, folder: Path, ended: threading.Event) -> tuple[str | None, str | None]:
        """(answer, None) or (None, why there is none)."""
        work, home = folder / "work", folder / "home"
        work.mkdir()
        home.mkdir()
        # Files, not pipes: a grandchild that keeps a pipe open must not keep us waiting.
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            asked.write(prompt.encode("utf-8", "replace"))
            asked.seek(0)
            environment = self._environment | {"HOME": str(home)}
            try:
                process = subprocess.Popen(
                    self._argv, stdin=asked, stdout=out, stderr=err, cwd=work, env=environment, start_new_session=True
                )
            except OSError as fault:
                return None, f"cannot be started: {fault.strerror}"
            try:
                broken_off = self._wait(process, (out.fileno(), err.fileno()), ended)
            finally:
                _kill_group(process)
            if broken_off:
                return None, broken_off
            out.seek(0)
            err.seek(0)
            if process.returncode:
                return None, f"exit code {process.returncode}" + self._complaint(err.read(), folder)
            return self._answer(out.read())

    def _complaint(self, said: bytes, folder: Path) -> str:
        """The end of what a program that failed said, without secrets and folders of this machine."""
        text = said.decode("utf-8", "replace").strip().replace(str(folder), "").replace(str(Path.home()), "~")
        # Cleaned before it is cut: half a key is still half a key.
        return f": {self._clean(text)[-_TOLD:]}" if text else ""

    def _answer(self, output: bytes) -> tuple[str | None, str | None]:
        try:
            text = output.decode("utf-8")
        except UnicodeDecodeError:
            return None, "the output is not UTF-8"
        if any(secret in text for secret in self._secrets):
            return None, "the answer repeats a secret that the program was given"
        return (text, None) if text.strip() else (None, "no output")

    def _wait(self, process: subprocess.Popen[bytes], written: tuple[int, int], ended: threading.Event) -> str | None:
        """Wait for the end of the program; why it has to be broken off, if it has to."""
        ends = time.monotonic() + self._command.timeout_s
        while True:
            running = process.poll() is None
            if max(os.fstat(file).st_size for file in written) > self._command.max_bytes:
                return f"more than {self._command.max_bytes} bytes of output"
            if not running:
                return None
            if ended.is_set():
                return "broken off"
            if time.monotonic() > ends:
                return f"no end within {self._command.timeout_s:g} s"
            time.sleep(_LOOK_EVERY_S)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what the program started and left behind, and the program itself if it still runs."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _program(name: str) -> str:
    """The absolute path of a program on PATH, or of a file from the working directory or the repository root."""
    found = shutil.which(name) or shutil.which(resolve(name).absolute())
    if not found:
        raise InputError(
            "no such program", value=name, likely="it is not on PATH, or the file may not be executed (chmod +x)"
        )
    return str(Path(found).absolute())


def _file_or_word(word: str) -> str:
    """A word with a slash that names a file as its absolute path, for the program runs in another folder."""
    return str(resolve(word).absolute()) if "/" in word and resolve(word).is_file() else word


def _revision(declared: list[str], argv: list[str]) -> str:
    """``sha256:<first 16 hex digits>`` of the words as declared, the program's bytes and those of the files named."""
    digest = hashlib.sha256("\0".join(declared).encode())
    for path in (argv[0], *(word for word in argv[1:] if "/" in word and Path(word).is_file())):
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return f"sha256:{digest.hexdigest()[:16]}"


def _environment(command: Command) -> dict[str, str]:
    missing = [name for name in command.pass_env if name not in os.environ]
    if missing:
        raise InputError(
            f"{missing[0]} is not set", likely="the study's pass_env names it", next_step=f"export {missing[0]}=..."
        )
    return {name: os.environ[name] for name in (*_SHOWN_VARIABLES, *command.pass_env) if name in os.environ}
