"""A stand-in for a command-line agent: writes down how it was called, and answers or misbehaves as its name says.

Run as ``<adapter>-<behaviour>``; what it saw goes to the file that the variable SEEN_KEY names.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

ITEM = re.compile(r'^\{"id":.*\}$', re.MULTILINE)


def main() -> int:
    adapter, behaviour = Path(sys.argv[0]).name.split("-", 1)
    prompt = sys.stdin.read()
    seen = {
        "argv": sys.argv[1:],
        "prompt": prompt,
        "environment": sorted(os.environ),
        "folder": sorted(path.name for path in Path().iterdir()),
        "home": sorted(path.name for path in Path(os.environ["HOME"]).iterdir()),
    }
    for word in sys.argv[1:]:
        if word.endswith((".schema.json", "policy.toml")):
            seen[Path(word).name.split(".")[-1]] = Path(word).read_text(encoding="utf-8")
    Path(os.environ["SEEN_KEY"]).write_text(json.dumps(seen), encoding="utf-8")
    rows = [{"id": item["id"], "answer": "ⴰⵎⴰⵏ"} for item in map(json.loads, ITEM.findall(prompt))]
    if behaviour == "missing":
        rows = rows[1:]
    if behaviour == "duplicated":
        rows = [rows[0], *rows]
    reply = json.dumps({"answers": rows}, ensure_ascii=False)
    if behaviour == "prose":
        reply = f"Here you are:\n```json\n{reply}\n```"
    if behaviour == "half":
        reply = reply[: len(reply) - 30]
    if behaviour == "silent":
        return 0
    if behaviour == "hangs":
        time.sleep(60)
    if behaviour == "fails":
        sys.stderr.write("not logged in\n")
        return 1
    sys.stdout.write(
        {"codex": codex, "claude": claude, "gemini": gemini, "generic": generic}[adapter](reply, behaviour)
    )
    return 0


def codex(reply: str, behaviour: str) -> str:
    events: list[dict] = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    if behaviour == "tool":
        events.append({"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}})
    if behaviour == "error":
        events.append({"type": "turn.failed", "error": {"message": "no quota"}})
    else:
        events.append({"type": "item.completed", "item": {"type": "reasoning", "text": "{hm}"}})
        events.append({"type": "item.completed", "item": {"type": "agent_message", "text": reply}})
        events.append({"type": "turn.completed", "usage": {"input_tokens": 1}})
    return "".join(json.dumps(event) + "\n" for event in events)


def claude(reply: str, behaviour: str) -> str:
    used = [{"tool_name": "Bash"}] if behaviour == "tool" else []
    body = {"type": "result", "is_error": behaviour == "error", "result": reply, "permission_denials": used}
    return json.dumps(body | {"usage": {"server_tool_use": {"web_search_requests": 0}}})


def gemini(reply: str, behaviour: str) -> str:
    if behaviour == "error":
        return json.dumps({"error": {"type": "ApiError", "message": "no quota"}})
    calls = int(behaviour == "tool")
    return "Loaded.\n" + json.dumps({"response": reply, "stats": {"tools": {"totalCalls": calls}}}, indent=2)


def generic(reply: str, behaviour: str) -> str:
    return reply


if __name__ == "__main__":
    sys.exit(main())
