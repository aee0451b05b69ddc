"""The ``mineru-workbench`` command: its options, and what it ends with.

Exit codes: 0, all went well; 2, some file could not be read and the others were done; 1, everything else.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

FILES_BAD = 2
FAILED = 1


class _Group(TyperGroup):
    """A group whose usage errors end with 1: 2 is taken by files that could not be read."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, as the base class does, on streams that take every character."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")  # a console of another encoding must not end the command
        try:
            return super().main(*args, **kwargs)
        except SystemExit as ended:
            # The base class leaves by SystemExit while it handles what ended the command.
            if ended.code == FILES_BAD and not isinstance(ended.__context__, typer.Exit):
                raise SystemExit(FAILED) from None
            raise


app = typer.Typer(
    cls=_Group,
    name="mineru-workbench",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Scans, PDF pages and slide screenshots to text, tables and chart data.",
)
models_app = typer.Typer(help="List the engines' model files, or install them.", rich_markup_mode=None)
app.add_typer(models_app, name="models")
token_app = typer.Typer(help="Who may use the HTTP API from elsewhere.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(token_app, name="token")


def _show_version(wanted: bool) -> None:
    if wanted:
        from mineru_core.version import __version__

        typer.echo(f"mineru-workbench {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    del version  # its callback has done all


@app.command()
def analyze(  # noqa: PLR0913, PLR0917  one argument an option
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Pictures, PDF or Office files.", show_default=False)
    ],
    instruction: Annotated[
        str, typer.Option("-i", "--instruction", metavar="WORDS", help="What is wanted; empty: everything.")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Write files here; without it the answer is printed."),
    ] = None,
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="LIST",
            help="Of csv, csv_long (charts), xlsx, md, json, html, txt, content_list, pdf, zip; separated by commas.",
        ),
    ] = "csv,xlsx,md,json,html",
    engine: Annotated[str | None, typer.Option(metavar="NAME", help="The engine that reads.")] = None,
    region: Annotated[
        list[str] | None,
        typer.Option(metavar="X0,Y0,X1,Y1", help="Only this rectangle, in page pixels; a fifth number is the page."),
    ] = None,
    pages: Annotated[str, typer.Option(metavar="LIST", help="Only these pages, such as 1,3-5 or last.")] = "",
    password: Annotated[str | None, typer.Option(help="Opens an encrypted PDF.")] = None,
    no_csv_guard: Annotated[
        bool, typer.Option("--no-csv-guard", help="Leave CSV cells that look like formulas as they are.")
    ] = False,
    json_errors: Annotated[bool, typer.Option("--json-errors", help="One JSON line on stderr a bad file.")] = False,
) -> None:
    """Read documents and answer; exit 2 if a file could not be read."""
    from mineru_core.cli.analyze import Options, analyze_files

    options = Options(
        words=instruction,
        folder=out,
        formats=tuple(part.strip() for part in formats.split(",") if part.strip()),
        engine=engine,
        regions=tuple(region or ()),
        pages=pages,
        password=password,
        csv_guard=not no_csv_guard,
        json_errors=json_errors,
    )
    raise typer.Exit(analyze_files(files, options))


@app.command()
def compare(  # noqa: PLR0913, PLR0917  one argument an option
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The earlier file.", show_default=False)],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The later file.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Write files here; without it the changes are printed."),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", metavar="LIST", help="Of csv, xlsx, md, json, html, txt; separated by commas.")
    ] = "csv,xlsx,md,json,html",
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the whole comparison as JSON; -: print it.")
    ] = None,
    engine: Annotated[str | None, typer.Option(metavar="NAME", help="The engine that reads.")] = None,
    password: Annotated[str | None, typer.Option(help="Opens an encrypted PDF.")] = None,
    no_csv_guard: Annotated[
        bool, typer.Option("--no-csv-guard", help="Leave CSV cells that look like formulas as they are.")
    ] = False,
    json_errors: Annotated[bool, typer.Option("--json-errors", help="One JSON line on stderr a bad file.")] = False,
) -> None:
    """Tell what changed from one file to another; exit 2 if one could not be read."""
    from mineru_core.cli.compare import Options, compare_files

    options = Options(
        folder=out,
        formats=tuple(part.strip() for part in formats.split(",") if part.strip()),
        json=json_file,
        engine=engine,
        password=password,
        csv_guard=not no_csv_guard,
        json_errors=json_errors,
    )
    raise typer.Exit(compare_files(before, after, options))


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.  [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on.  [default: 8501]")] = None,
    api_only: Annotated[bool, typer.Option("--api-only", help="The HTTP API without the browser app.")] = False,
) -> None:
    """Start the browser app and the HTTP API."""
    from mineru_core.cli.serve import run_server

    raise typer.Exit(run_server(host, port, api_only=api_only))


@app.command()
def loadtest(  # noqa: PLR0913, PLR0917  one argument an option
    url: Annotated[
        str | None,
        typer.Option(metavar="U", help="A server that runs; without it, one is started for the test alone."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="quick, field-report, office, spike, ramp or soak; without it the first."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="How long people come.  [default: the preset's]")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures as JSON.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report as HTML.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a row of CSV a run.")] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="What the run is kept as.")] = None,
    switch: Annotated[
        str | None,
        typer.Option(
            "--ab",
            metavar="NAME",
            help="Measure without and with one thing: resident, gate, batching, compression, cache, keep-alive, async, "
            "or all of them.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, max=20, metavar="N", help="Runs of each side of --ab.")] = 1,
) -> None:
    """Measure what this machine carries, through the HTTP API."""
    from mineru_core.cli.loadtest import Options, run_loadtest

    options = Options(
        url=url,
        preset=preset,
        seconds=seconds,
        json=json_file,
        html=html,
        csv=csv,
        name=name,
        switch=switch,
        repeats=repeats,
    )
    raise typer.Exit(run_loadtest(options))


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check that this machine has what the workbench needs; exit 1 if it has not."""
    from mineru_core.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json=as_json))


@models_app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """List the engines' model files, or install them."""
    if context.invoked_subcommand is None:
        from mineru_core.cli.models import list_models

        raise typer.Exit(list_models())


@models_app.command()
def install(
    engine: Annotated[
        str, typer.Argument(help="The engine whose files are installed: embedded or mineru.")
    ] = "embedded",
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="A folder with the files; without it, fetch them.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing when all is well.")] = False,
) -> None:
    """Install the model files of an engine."""
    from mineru_core.cli.models import install_models

    raise typer.Exit(install_models(engine, source, quiet=quiet))


@token_app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="Whose it is: documents belong to this name.", show_default=False)],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="documents, metrics, exempt (from the rate limit) or admin.  [default: documents]"
        ),
    ] = None,
    days: Annotated[float | None, typer.Option(min=0, help="Days it is good for; without it, until revoked.")] = None,
) -> None:
    """Make a token and print it, this once."""
    from mineru_core.cli import token

    raise typer.Exit(token.create_token(name, scope or ["documents"], days))


@token_app.command("list")
def list_tokens() -> None:
    """List the tokens, without their secrets."""
    from mineru_core.cli import token

    raise typer.Exit(token.list_tokens())


@token_app.command("revoke")
def revoke_token(
    name_or_id: Annotated[
        str, typer.Argument(metavar="NAME|ID", help="One token by its id, or all of a name.", show_default=False)
    ],
) -> None:
    """Revoke a token; servers forget it within a second."""
    from mineru_core.cli import token

    raise typer.Exit(token.revoke_tokens(name_or_id))
