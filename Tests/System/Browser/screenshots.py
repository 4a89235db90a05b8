"""Writes a picture of each page: light and dark, wide and narrow.

    screenshots.py FOLDER
"""

import pathlib
import sys

from world import World, browser, until

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


def fill(world):
    """Creates messages in every state: delivered, failed, deleted, waiting."""
    done = world.send("general", *(f"Good morning, this is number {number}." for number in range(1, 15)))
    until("delivered", lambda: world.state(done[-1]) == "synced")
    failed = world.fail(*(f"Nobody will read number {number}." for number in range(1, 9)))
    world.control("POST", "/v1/delete", {"ids": failed[:2], "by": "cli"})
    world.control("POST", "/v1/delete", {"ids": failed[2:3], "by": "statusPage"})
    world.hub.stop()
    until("offline", lambda: world.control("GET", "/v1/status")["connectivity"]["state"] == "offline" or
          (world.control("POST", "/v1/probe", {}) and False))
    waiting = world.send("general", *(f"This one waits, number {number}." for number in range(1, 13)))
    return done, failed, waiting


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    world = World(["--show-bodies"])
    try:
        done, failed, waiting = fill(world)
        pages = {
            "overview": "/", "outbox": "/outbox", "failed": "/failed", "delete-actions": "/delete-actions",
            "messages": "/messages?q=general", "message": f"/messages/{failed[-1]}",
            "confirm": f"/confirm?do=delete&id={failed[-1]}&id={failed[-2]}", "empty": "/outbox?channel=quiet",
        }
        with browser() as chromium:
            for scheme in ("light", "dark"):
                for size, (width, height) in SIZES.items():
                    context = chromium.new_context(
                        viewport={"width": width, "height": height}, color_scheme=scheme,
                        device_scale_factor=1)
                    page = context.new_page()
                    for name, path in pages.items():
                        page.goto(world.address + path)
                        page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
                    context.close()
            world.daemon.stop()
            page = chromium.new_page(viewport={"width": 1280, "height": 500})
            page.goto(world.address + "/")
            page.screenshot(path=folder / "stopped-wide-light.png")
            world.start_daemon()
            page.goto(world.address + f"/confirm?do=delete&id={failed[-1]}")
            page.click("#yes")
            page.wait_for_selector("main .note[role=status]")
            page.screenshot(path=folder / "notice-wide-light.png")
            token = world.folder / "token"
            token.write_text("correct-horse-battery-staple\n")
            token.chmod(0o600)
            world.page.stop()
            world.page_options += ["--token-file", token]
            world.start_page()
            page.goto(world.address + "/login")
            page.screenshot(path=folder / "login-wide-light.png")
        print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    finally:
        world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
