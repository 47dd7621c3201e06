"""The report's style sheet: parchment by day, dark wood by night, plain on paper."""

STYLE = """
:root{color-scheme:light dark;--page:#f4ead2;--card:#fffaf0;--ink:#2a1d12;--soft:#6b5741;
--line:#d5c096;--gules:#8b1a1a;--gold:#a8781c;--doubt:#8f006f}
@media(prefers-color-scheme:dark){:root{--page:#17120e;--card:#241c15;--ink:#f3e7cf;--soft:#c9b797;
--line:#54432f;--gules:#e08a7f;--gold:#e2b75a;--doubt:#ff9be4}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI",Roboto,
"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1,h2,h3{font-family:"Palatino Linotype",Palatino,"Book Antiqua",P052,Georgia,serif;line-height:1.2;
margin:0;text-wrap:balance}
h1{font-size:clamp(1.8rem,6vw,3rem)}h2{font-size:1.5rem;margin:0 0 .6rem}h3{font-size:1.15rem}
header{padding:2rem 1rem 1rem;text-align:center;border-bottom:3px double var(--gold)}
header p{margin:.4rem 0 0;color:var(--soft)}
main{max-width:76rem;margin:0 auto;padding:1rem}
section{margin:0 0 2rem}a{color:inherit;text-decoration-color:var(--gold);
text-underline-offset:.2em}
.wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
td,th{padding:.4rem .7rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
tr:last-child td,tr:last-child th{border-bottom:0}
thead th{color:var(--soft);font-weight:600;font-size:.85rem}.name{text-align:left}
td.name,th.name{white-space:normal;overflow-wrap:break-word;min-width:7rem}abbr{text-decoration:none}
.medal th{font-weight:700}.m1 td:first-child{color:var(--gold);font-weight:800}.won{font-weight:700}
.note{color:var(--soft);font-size:.85rem;margin:.4rem 0}ul.note{padding-left:1.1rem}
.problem,.flag{color:var(--doubt)}
.flag{border:1px solid;border-radius:99px;font:600 .75rem system-ui,sans-serif;padding:.1rem .5rem;
vertical-align:middle}
.plots{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr))}
.plots figure,article{background:var(--card);border:1px solid var(--line);border-radius:12px;
margin:0;padding:.8rem}figcaption{font-size:.85rem}.plots figcaption{font-weight:600}
svg{width:100%;height:auto;display:block}svg text{fill:var(--ink);font-size:13px}
.grid{stroke:var(--line);stroke-width:1}
.sheets{display:grid;gap:1rem;align-items:start;
grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr))}
article{content-visibility:auto;contain-intrinsic-size:auto 26rem;scroll-margin-top:1rem}
article:target{outline:3px solid var(--gold)}
article>img{width:100%;height:auto;border-radius:8px;display:block}
.total{float:right;font-size:1.5rem;color:var(--gules)}h3 .flag{margin-left:.4rem}
.doubts{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:.6rem}
.doubts figure{margin:0;width:calc(50% - .3rem);font-size:.8rem;display:flex;gap:.5rem}
.doubts img{width:4rem;height:4rem;flex:none;border-radius:6px;border:2px solid var(--doubt)}
@media(max-width:30rem){td,th{padding:.35rem .45rem;font-size:.9rem}td.name,th.name{min-width:6rem}}
footer{text-align:center;color:var(--soft);font-size:.85rem;padding:1rem}
@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb}
article,figure,tr{break-inside:avoid}article{content-visibility:visible}}
"""
