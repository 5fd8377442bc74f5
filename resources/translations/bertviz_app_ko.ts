<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>Badges</name>
    <message>
        <source>Muted: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token {0} is read as another piece. Click: as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} more replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click: read every token as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This head hands over nothing. Click: hear it again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These heads hand over nothing: {0}. Click: hear some again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hear {0} again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hear all again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BarState</name>
    <message>
        <source>{0} left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is a saved trace of {0}: its numbers are shown, its text cannot be changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encode the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a folder …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the hub …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>opening …</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Find a command …</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Text and checkpoint</source>
        <translation>문장과 체크포인트</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>패널</translation>
    </message>
    <message>
        <source>Zoom and selection</source>
        <translation>확대와 선택</translation>
    </message>
    <message>
        <source>View</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Edit sentence A</source>
        <translation>문장 A 고치기</translation>
    </message>
    <message>
        <source>Add or edit sentence B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove sentence B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a checkpoint folder …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a checkpoint from the hub …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw the panel as lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw the panel as a matrix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>확대</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>축소</translation>
    </message>
    <message>
        <source>Show all tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let go of the pinned token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session, a trace or a text …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the session …</source>
        <translation>세션 저장 …</translation>
    </message>
    <message>
        <source>Forget recent texts and files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preferences …</source>
        <translation>환경 설정 …</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>끝내기</translation>
    </message>
    <message>
        <source>Overview: show or close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heads: show or close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspector: show or close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vector: show or close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo: what was looked at before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo: what was looked at after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo, while typing too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo, while typing too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Overview: scale per head or alike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset the layout</source>
        <translation>배치 초기화</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>글자 크게</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>글자 작게</translation>
    </message>
    <message>
        <source>Text of the normal size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch between light and dark</source>
        <translation>밝게 / 어둡게 바꾸기</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Present: large, on the whole screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>모든 명령</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>모든 단축키</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A second run, shown beside the one above. Empty is as in run A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The checkpoint of run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run B: sentence A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run B: sentence B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Swap run A and run B (Ctrl+Shift+X)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Swap run A and run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare no longer (Ctrl+Shift+C)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare no longer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as in run A: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no second sentence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>encoding …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same as run A: change something</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same checkpoint as run A</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Dock</name>
    <message>
        <source>Overview</source>
        <translation>개요</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>검사기</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>벡터</translation>
    </message>
    <message>
        <source>Take it out of the window, or put it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close; the menu brings it back</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message>
        <source>Show this text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop one file or folder at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the session {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the trace {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the text in {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the checkpoint {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be opened: drop a checkpoint folder, a .bva, .npz or .txt file, or text.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>Something went wrong that should not have. Your text is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}

The details are in {1}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Files</name>
    <message>
        <source>Open a checkpoint folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the checkpoint, such as sentence-transformers/all-MiniLM-L6-v2:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a checkpoint from the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions, traces and texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the session</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HeadStrip</name>
    <message>
        <source>Heads drawn as lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Head {0}: click to draw it or not, double click for it alone (again: all).
The wheel goes to another layer.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Heads</name>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HeadsModel</name>
    <message>
        <source>head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer · head, counted from 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>how spread a row is, in bits: mean over the queries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prev</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean weight on the token before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean weight on the token after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[CLS]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean weight on the first token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[SEP]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean weight on the other special tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HeadsTable</name>
    <message>
        <source>Measures of all heads</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>InspectorView</name>
    <message>
        <source>Numbers of the pair under the pointer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} looks at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is looked at by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rank {0} of {1} in its row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>query · key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>softmax over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>row entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>column mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer · head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0:.3f} bits</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LinesView</name>
    <message>
        <source>Attention lines: queries on the left, keys on the right</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Saved {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Six panels are the most. Close one to add another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening {0} …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows sum to 1 within {0:.0e}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Matrix</name>
    <message>
        <source>row max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only one of the two runs has this token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A − B {0:+.4f} · A {1:.4f} · B {2:.4f}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight {0:.4f} · query {1} · key {2}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MatrixView</name>
    <message>
        <source>Attention matrix: rows look at columns</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Measures</name>
    <message>
        <source>Entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>entropy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How spread a query&apos;s weights are: 0 if it looks at one token only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dist.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far a query looks: the distance |i − j| weighted by attention.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weight on [CLS]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weight on the first token, [CLS] in BERT.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weight on [SEP]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weight on the other special tokens, [SEP] in BERT.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prev</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weight on the token before the query.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weight on the query&apos;s own token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weight on the token after the query.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest weight of a row, the head&apos;s confidence.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} layers × {1} heads · {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}   (damaged)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>special tokens hidden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>punctuation hidden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pieces joined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the rest of each row scaled to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows add up to {0:.2f} to {1:.2f}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lines from {0:.3g} on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>logarithmic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each row by its largest</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close the notice</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverviewView</name>
    <message>
        <source>Overview of all heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>entropy {0:.2f} bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest weight {0:.2f} (mean over rows)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>previous token {0:.2f}, next token {1:.2f}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[CLS] {0:.2f}, [SEP] {1:.2f}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PanelCard</name>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A line from each query to each key (L)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A cell for each query and key (M)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The arithmetic, step by step (P)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden states and the pooled vector (V)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run A: the text above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run B: what it is compared with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The difference of both runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options of the drawing, for all panels (O)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options of the drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this panel (Ctrl+W)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queries → keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows look at columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer {0} · {1} heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PanelOptions</name>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which sentence&apos;s queries look at which sentence&apos;s keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join the pieces of words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A word&apos;s weight: the mean over its query pieces of the sum over its key pieces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide special tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out [CLS], [SEP] and the like; the rows no longer add up to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide punctuation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out . , ! ? and the like</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the rest of each row add up to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Divide what is left of a row by its sum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the weights of the strongest lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On up to 16 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Linear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full colour is the head&apos;s largest weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From 0.0001 to the largest weight, evenly by ratios</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Per row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full colour is the largest weight of each row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished">테마</translation>
    </message>
    <message>
        <source>Diverging</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The middle is the weight of a row that looks everywhere alike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sums of rows and columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a query spends, and what a key receives from all queries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark the largest weight of each row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights below this get no line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threshold of the lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As at first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back all of these options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for all panels</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <source>Preferences</source>
        <translation>환경 설정</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open what was shown last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open its folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>글자 크기</translation>
    </message>
    <message>
        <source>Device at the start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At the start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent texts and files kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log of what went wrong</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProblemNotice</name>
    <message>
        <source>Use the CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take them out</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Commands and their keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished">닫기</translation>
    </message>
</context>
<context>
    <name>Stage</name>
    <message>
        <source>Overview</source>
        <translation>개요</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>검사기</translation>
    </message>
    <message>
        <source>Per head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each head as bright as its own largest weight (S)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All heads on one scale from 0 to 1 (S)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layers down, heads across</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · a click shows one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[CLS] hidden state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · no pooler here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[CLS] pooled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} dimensions</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>{0} tokens</source>
        <translation>토큰 {0}개</translation>
    </message>
    <message>
        <source>{0} layers × {1} heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>encoded in {0} on {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>opened from a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>trace {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>token embedding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>segment embedding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>position embedding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sum of the embeddings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queries Q</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keys K</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>values V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>query · key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>divided by √d_k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>softmax</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weights × values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weighted sum Z</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all heads side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output projection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add the layer&apos;s input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>feed-forward: expand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>feed-forward: contract</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add what went in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer norm: the layer&apos;s output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[CLS] of the last layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pooler: dense</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tanh: the pooled vector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the layer&apos;s input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pooler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Head {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token&apos;s numbers are brought to mean 0 and spread 1, then stretched and shifted as learned.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token ID picks its row of the table of token embeddings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Says whether the token stands in sentence A (0) or B (1).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Says where the token stands; without it the order would be lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The three embeddings are added, number by number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token asks: its query says what it looks for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token offers: its key says what it can be found by.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token holds ready: its value is what it hands over.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The query is compared with every key: the better they fit, the larger the product.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Division keeps the products from growing with the width of the head.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scores become weights between 0 and 1 that add up to 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each value is taken as strongly as its token is looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weighted values are added: what this head gathers for the query.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the heads gathered is laid side by side.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One dense layer mixes what the heads have found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was gathered is added to what the token was before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each token on its own is spread over many more numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Negative numbers are all but silenced, positive ones pass.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is left is brought back to the width of the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The result is added to what went into the feed-forward part.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first token has gathered from the whole input; it stands for all of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One dense layer, learned with the next-sentence task.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tanh brings every number between −1 and 1: the vector of the whole input.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all its numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of every token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>query</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Z</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>query · key ÷ √d_k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest score so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exp(score − largest)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight × value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max so far</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepsBar</name>
    <message>
        <source>Stages of the encoder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepsModel</name>
    <message>
        <source>query</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the token that looks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the token that is looked at; sorted by its place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the product of query and key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the product divided by the root of the head&apos;s width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the softmax; the column adds up to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the value of the key; sorted by its length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weight × V_j</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is handed over; the column adds up to Z</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepsPicture</name>
    <message>
        <source>{0} · minimum {1} · maximum {2} · mean {3}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · min {1} · max {2} · mean {3}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dimension {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepsTable</name>
    <message>
        <source>From the product of query and key to the weighted value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A click on a column&apos;s name sorts; Ctrl+C copies all digits</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepsView</name>
    <message>
        <source>Steps through the encoder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous step (←)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next step (→)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Walk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every stage as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>query, key, product, weight and value as a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps are those of one run: choose A or B for this panel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing layer {0} …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These numbers are not in the trace, and the checkpoint to compute them is not open.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TokenStrip</name>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>segment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>position</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 token left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} tokens left out</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>The checkpoint: choose another one, open a folder, or name one on the hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the encoder runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a sentence …</source>
        <translation>문장을 입력하세요 …</translation>
    </message>
    <message>
        <source>A second sentence …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sentence A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sentence B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a second sentence (Ctrl+B)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with a second run: other texts, another checkpoint, edits (Ctrl+Shift+C)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All commands and their keys (Ctrl+K)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent texts, checkpoints and files (Ctrl+R)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything the program can do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>메뉴</translation>
    </message>
</context>
<context>
    <name>VectorPlot</name>
    <message>
        <source>{0} values, from {1:.4f} to {2:.4f}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dimension {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Type a sentence above, or begin with one of these</source>
        <translation>위에 문장을 입력하거나 예문을 골라 시작하세요</translation>
    </message>
    <message>
        <source>You will see its tokens and ids, every attention head of every layer, and the [CLS] vector.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A sentence above, or two with + B. Each key shows what changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the overview at the left. Shift-click adds one beside it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It lights up everywhere. A click keeps it lit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show this example</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>view</name>
    <message>
        <source>Overview</source>
        <translation type="unfinished">개요</translation>
    </message>
    <message>
        <source>layers down, heads across</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
