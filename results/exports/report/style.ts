/** The style sheet of a report, on screens and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c1f24; --soft: #5b6470; --line: #d5dae1; --bar: #2563a8; --bad: #b3261e; --back: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #a9b1bc; --line: #3b424c; --bar: #7db4f0; --bad: #ff9c93; --back: #16191d; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 64rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.timeline { width: 18rem; max-width: 40vw; height: 18px; display: block; background: color-mix(in srgb, var(--line) 40%, transparent); }
.timeline rect { fill: var(--bar); }
.crops { display: flex; flex-wrap: wrap; gap: .6rem; padding: 0; margin: .4rem 0; list-style: none; }
.crops li { width: 120px; font-size: .8rem; break-inside: avoid; }
.crops img, .crops svg:not(.defs) { width: 120px; height: 90px; object-fit: contain; display: block; background: color-mix(in srgb, var(--line) 40%, transparent); }
.defs { position: absolute; width: 0; height: 0; }
.texts .number { width: 5rem; }
@media print { :root { --text: #000; --soft: #444; --line: #bbb; --bar: #1d4e89; --bad: #8c1d18; --back: #fff; } body { max-width: none; padding: 0; font-size: 11pt; } h2, h3 { break-after: avoid; } tr { break-inside: avoid; } .timeline rect { print-color-adjust: exact; } }
`;
