export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #ffffff; --text: #1a2027; --quiet: #57606a; --line: #dfe3e8;
  --good: #2a7f62; --bad: #c4372c; --unsure: #a86a08; --calm: #3767c9; --grid: #e6e9ed;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #11151a; --card: #1a2027; --text: #e6eaef; --quiet: #9aa5b1; --line: #2d353f;
    --good: #4cb690; --bad: #f0776b; --unsure: #e0a83e; --calm: #7ea4f0; --grid: #2a313a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
header { margin-bottom: 1.5rem; overflow-wrap: anywhere; }
header p { margin: 0; color: var(--quiet); }
.over { font-size: .875rem; }
h1 { margin: .15rem 0 .25rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 0 0 1rem; font-size: 1.15rem; }
h3 { margin: 0; font-size: 1rem; }
.state {
  display: inline-block; padding: .15rem .7rem; border-radius: 1rem; border: 1px solid currentColor;
  font-size: .85rem; font-weight: 600; letter-spacing: 0; vertical-align: middle; color: var(--good);
}
.state.stopped { color: var(--unsure); }
.state.running { color: var(--calm); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; margin-top: 1.25rem; }
dl, ul, ol { margin: 0; padding: 0; list-style: none; }
dd { margin: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem; }
.tiles dt { color: var(--quiet); font-size: .875rem; }
.tiles dd { font-size: 1.6rem; font-weight: 650; line-height: 1.25; }
.tiles .share, .share { color: var(--quiet); font-size: .875rem; font-weight: 400; }
.tiles .good dd:not(.share), td.good strong { color: var(--good); }
.tiles .bad dd:not(.share), td.bad strong { color: var(--bad); }
.tiles .unsure dd:not(.share), td.unsure strong { color: var(--unsure); }
rect.bad { fill: var(--bad); }
rect.calm { fill: var(--calm); }
.note { margin: 1rem 0 0; color: var(--quiet); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 2rem 2.5rem; }
figure { margin: 0; min-width: 0; display: flex; flex-direction: column; }
figcaption { flex: 1; }
figcaption p { margin: .1rem 0 .75rem; color: var(--quiet); font-size: .875rem; }
.plot { display: grid; grid-template-columns: auto 1fr; gap: .35rem .6rem; color: var(--quiet); font-size: .75rem; line-height: 1rem; }
.plot svg { width: 100%; height: 11rem; overflow: visible; }
.up { display: flex; flex-direction: column; justify-content: space-between; height: 12rem; margin: -.5rem 0; text-align: right; white-space: nowrap; }
.along { grid-column: 2; display: flex; justify-content: space-between; }
.grid line { stroke: var(--grid); stroke-width: 1; vector-effect: non-scaling-stroke; }
.reach { fill: transparent; }
.column:hover .reach { fill: var(--grid); }
details { margin-top: .75rem; font-size: .875rem; }
summary { cursor: pointer; color: var(--quiet); width: fit-content; }
.scroll { overflow: auto; max-height: 22rem; }
table { border-collapse: collapse; width: 100%; margin-top: .5rem; }
th, td { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--quiet); font-size: .8125rem; font-weight: 600; position: sticky; top: 0; background: var(--card); }
details th:not(:first-child), details td { text-align: right; white-space: nowrap; }
.reasons { margin-top: -.35rem; }
.reasons td:first-child { white-space: nowrap; }
.reasons td:nth-child(2) { min-width: 12rem; overflow-wrap: anywhere; }
.reasons td:last-child { min-width: 10rem; }
.reasons code { overflow-wrap: anywhere; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.receipt div { display: grid; grid-template-columns: 8rem 1fr; gap: 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
.receipt div:last-child { border-bottom: 0; }
.receipt dt { color: var(--quiet); }
.receipt dd { overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--calm); outline-offset: 3px; }
@media (max-width: 36rem) {
  main { padding: 1.25rem .75rem 3rem; }
  section { padding: 1rem; }
  h1 { font-size: 1.5rem; }
  .receipt div { grid-template-columns: 1fr; gap: 0; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
}
@media print {
  :root { --ground: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #ccc; --grid: #ddd; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  section { border: 0; padding: 1rem 0 0; break-inside: avoid; }
  figure { break-inside: avoid; }
  .charts { grid-template-columns: 1fr 1fr; }
  details { display: none; }
  .scroll { max-height: none; overflow: visible; }
  rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
