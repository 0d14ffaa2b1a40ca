"""Writes and reads workbooks with openpyxl and XlsxWriter. The cells come from stdin as JSON."""

import datetime
import json
import sys


def write_openpyxl(path, rows):
    import openpyxl

    book = openpyxl.Workbook()
    for r, row in enumerate(rows, 1):
        for c, cell in enumerate(row, 1):
            target = book.active.cell(row=r, column=c)
            if cell["kind"] == "formula":
                target.value = cell["value"]
            elif cell["kind"] == "text":
                target.value = cell["value"]
                target.data_type = "s"
            else:
                target.value = value_of(cell)
                target.number_format = cell.get("format", "General")
    book.save(path)


def write_xlsxwriter(path, rows):
    import xlsxwriter

    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            style = book.add_format({"num_format": cell.get("format", "General")})
            write = {
                "text": sheet.write_string,
                "number": sheet.write_number,
                "date": sheet.write_datetime,
                "boolean": sheet.write_boolean,
                "formula": sheet.write_formula,
            }[cell["kind"]]
            write(r, c, value_of(cell), style)
    book.close()


def value_of(cell):
    if cell["kind"] == "date":
        return datetime.datetime.fromisoformat(cell["value"])
    return cell["value"]


def read(path):
    """Prints the values of the first sheet, as openpyxl reads them."""
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    print(json.dumps([[describe(cell) for cell in row] for row in book.worksheets[0].iter_rows()]))


def describe(cell):
    value = cell.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return {"kind": "date", "value": value.isoformat()}
    if isinstance(value, bool):
        return {"kind": "boolean", "value": value}
    if isinstance(value, (int, float)):
        return {"kind": "number", "value": value}
    return {"kind": "text", "value": value or ""}


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    else:
        {"openpyxl": write_openpyxl, "xlsxwriter": write_xlsxwriter}[sys.argv[1]](
            sys.argv[2], json.load(sys.stdin)
        )
