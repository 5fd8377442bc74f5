<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About BertViz App</source>
        <translation>BertViz App 정보</translation>
    </message>
    <message>
        <source>What others wrote in it</source>
        <translation>다른 사람이 만든 부분</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>Reading the licences …</source>
        <translation>라이선스를 읽는 중 …</translation>
    </message>
    <message>
        <source>Look inside BERT: tokens, every attention head, every number. Under the Apache License 2.0; what others wrote in it is below, each part under its own licence.</source>
        <translation>BERT의 속을 들여다봅니다: 토큰, 모든 어텐션 헤드, 모든 수. 아파치 라이선스 2.0을 따릅니다. 다른 사람이 만든 부분은 아래에 있으며, 저마다 자신의 라이선스를 따릅니다.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>It came without the text of its licence.</source>
        <translation>라이선스 전문이 함께 들어 있지 않습니다.</translation>
    </message>
</context>
<context>
    <name>AddedPicture</name>
    <message>
        <source>the weight</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>× length of the value</source>
        <translation>× 값 벡터의 길이</translation>
    </message>
    <message>
        <source>= length of what is added</source>
        <translation>= 더해지는 것의 길이</translation>
    </message>
    <message>
        <source>Which token matters? For “{0}” in layer {1}, head {2}, and for the whole text</source>
        <translation>어느 토큰이 중요할까요? 레이어 {1}, 헤드 {2}의 ‘{0}’ 토큰에, 그리고 글 전체에</translation>
    </message>
    <message>
        <source>The tokens are being hidden one by one …</source>
        <translation>토큰을 하나씩 가려 보는 중입니다 …</translation>
    </message>
    <message>
        <source>the length of what is added</source>
        <translation>더해지는 것의 길이</translation>
    </message>
    <message>
        <source>what is lost if it is hidden</source>
        <translation>가리면 줄어드는 길이</translation>
    </message>
    <message>
        <source>What each token adds to “{0}” in layer {1}, head {2}</source>
        <translation>레이어 {1}, 헤드 {2}에서 토큰마다 ‘{0}’에 더하는 것</translation>
    </message>
    <message>
        <source>“{0}” has {1} % of the weight, and {2} % of all the lengths that are added.</source>
        <translation>‘{0}’ 토큰은 가중치의 {1} %를 받지만, 더해지는 길이 가운데서는 {2} %입니다.</translation>
    </message>
</context>
<context>
    <name>AgreementPicture</name>
    <message>
        <source>The methods are being compared …</source>
        <translation>방법들을 비교하는 중입니다 …</translation>
    </message>
    <message>
        <source>Does a method put the tokens in the same order as occlusion?</source>
        <translation>방법마다 토큰의 순서가 가리기의 순서와 같을까요?</translation>
    </message>
    <message>
        <source>1: the same order. 0: no relation. −1: the opposite order.</source>
        <translation>1이면 같은 순서, 0이면 관계없음, −1이면 반대 순서입니다.</translation>
    </message>
</context>
<context>
    <name>AlikePicture</name>
    <message>
        <source>“{0}” and “{1}”: cosine of their vectors</source>
        <translation>두 벡터의 코사인: ‘{0}’, ‘{1}’</translation>
    </message>
    <message>
        <source>All pairs of tokens: mean cosine</source>
        <translation>모든 토큰 쌍: 코사인의 평균</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>After the embeddings, and after each layer</source>
        <translation>임베딩 다음, 그리고 레이어마다 그다음</translation>
    </message>
</context>
<context>
    <name>AnalysisBar</name>
    <message>
        <source>Parameters ⓘ</source>
        <translation>매개변수 ⓘ</translation>
    </message>
    <message>
        <source>About this analysis, and its parameters</source>
        <translation>이 분석의 설명과 매개변수</translation>
    </message>
</context>
<context>
    <name>AnalysisForm</name>
    <message>
        <source>Layer and head are those of the panel: choose them in the overview.</source>
        <translation>레이어와 헤드는 패널에서 보는 것입니다. ‘한눈에 보기’에서 고르세요.</translation>
    </message>
</context>
<context>
    <name>AnalysisGallery</name>
    <message>
        <source>What would you like to know?</source>
        <translation>무엇을 알고 싶으세요?</translation>
    </message>
    <message>
        <source>Find a question …</source>
        <translation>질문 찾기 …</translation>
    </message>
    <message>
        <source>Analyses by theme</source>
        <translation>주제별 분석</translation>
    </message>
    <message>
        <source>Pictures: results of the model that comes with the program, for one sentence.</source>
        <translation>그림: 프로그램에 들어 있는 모델로 한 문장을 계산한 실제 결과입니다.</translation>
    </message>
    <message>
        <source>Grey ones show the kind of picture alone.</source>
        <translation>회색 그림은 그림의 종류만 나타냅니다.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>No question fits.</source>
        <translation>맞는 질문이 없습니다.</translation>
    </message>
</context>
<context>
    <name>AnswerForm</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>the checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>The files of {0} do not say everything</source>
        <translation>{0}의 파일만으로는 알 수 없는 것이 있습니다</translation>
    </message>
    <message>
        <source>Answers about {0}</source>
        <translation>{0}에 대해 답한 것</translation>
    </message>
    <message>
        <source>Saved with the settings of this program.</source>
        <translation>이 프로그램의 설정에 저장됩니다.</translation>
    </message>
    <message>
        <source>Saved beside the checkpoint, in bertviz_app.json.</source>
        <translation>답은 체크포인트 옆의 bertviz_app.json에 저장됩니다.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>opening …</source>
        <translation>여는 중 …</translation>
    </message>
    <message>
        <source>opening … {0}</source>
        <translation>여는 중 … {0}</translation>
    </message>
</context>
<context>
    <name>AnswerPicture</name>
    <message>
        <source>Does the second sentence follow the first? The model answers:</source>
        <translation>둘째 문장이 첫째 문장에 이어집니까? 모델의 답:</translation>
    </message>
    <message>
        <source>Which class has the text? The model answers:</source>
        <translation>이 글은 어느 클래스입니까? 모델의 답:</translation>
    </message>
    <message>
        <source>✓ The model is right.</source>
        <translation>✓ 모델이 맞혔습니다.</translation>
    </message>
    <message>
        <source>✗ The model is wrong.</source>
        <translation>✗ 모델이 틀렸습니다.</translation>
    </message>
    <message>
        <source>These two belong together: it follows</source>
        <translation>이어지는 두 문장: ‘이어진다’가 맞습니다</translation>
    </message>
    <message>
        <source>These two do not: it does not follow</source>
        <translation>이어지지 않는 두 문장: ‘이어지지 않는다’가 맞습니다</translation>
    </message>
    <message>
        <source>it follows</source>
        <translation>이어진다</translation>
    </message>
    <message>
        <source>it does not</source>
        <translation>이어지지 않는다</translation>
    </message>
</context>
<context>
    <name>ArcsPicture</name>
    <message>
        <source>Attention as arcs above the words</source>
        <translation>단어 위의 호로 그린 어텐션</translation>
    </message>
    <message>
        <source>Layer {0}, head {1}: what “{2}” looks at</source>
        <translation>레이어 {0}, 헤드 {1}: ‘{2}’ 토큰이 보는 것</translation>
    </message>
</context>
<context>
    <name>ArrangementDialog</name>
    <message>
        <source>Stations of “{0}”</source>
        <translation>“{0}” 수업의 장면</translation>
    </message>
    <message>
        <source>Stations of the lesson</source>
        <translation>수업의 장면</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>빼기</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Write the lesson</source>
        <translation>수업 쓰기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Take the station out of the lesson (Delete)</source>
        <translation>장면을 수업에서 빼기 (Delete)</translation>
    </message>
    <message>
        <source>Bring back what was there before (Ctrl+Z)</source>
        <translation>바로 전으로 되돌리기 (Ctrl+Z)</translation>
    </message>
</context>
<context>
    <name>AxisTitles</name>
    <message>
        <source>query (looks)</source>
        <translation>쿼리(보는 토큰)</translation>
    </message>
    <message>
        <source>key (is looked at)</source>
        <translation>키(보이는 토큰)</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>차원</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>head</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>token of run {0}</source>
        <translation>실행 {0}의 토큰</translation>
    </message>
    <message>
        <source>vector of this token</source>
        <translation>이 토큰의 벡터</translation>
    </message>
    <message>
        <source>part that came from this token</source>
        <translation>이 토큰에서 온 몫</translation>
    </message>
    <message>
        <source>in each cell: queries down, keys across</source>
        <translation>칸마다 세로는 쿼리, 가로는 키</translation>
    </message>
    <message>
        <source>value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>value, to each row&apos;s 99th percentile of |value|</source>
        <translation>값, 행마다 |값|의 99번째 백분위수까지</translation>
    </message>
    <message>
        <source>value, to the 99th percentile of |value|</source>
        <translation>값, |값|의 99번째 백분위수까지</translation>
    </message>
    <message>
        <source>attention weight</source>
        <translation>어텐션 가중치</translation>
    </message>
    <message>
        <source>share</source>
        <translation>몫</translation>
    </message>
    <message>
        <source>{0}, logarithmic scale</source>
        <translation>{0}, 로그 척도</translation>
    </message>
    <message>
        <source>{0}, each row by its largest</source>
        <translation>{0}, 행마다 최댓값 기준</translation>
    </message>
</context>
<context>
    <name>Badges</name>
    <message>
        <source>Muted: {0}</source>
        <translation>끈 헤드: {0}</translation>
    </message>
    <message>
        <source>{0} more replaced</source>
        <translation>바꾼 토큰 {0}개 더</translation>
    </message>
    <message>
        <source>Token {0} is replaced by another piece. Click to undo</source>
        <translation>토큰 {0}: 다른 조각으로 바꾸었습니다. 클릭하면 되돌립니다</translation>
    </message>
    <message>
        <source>Click to undo all replacements</source>
        <translation>클릭하면 바꾼 토큰을 모두 되돌립니다</translation>
    </message>
    <message>
        <source>{0}. Click to undo</source>
        <translation>{0}. 클릭하면 되돌립니다</translation>
    </message>
    <message>
        <source>Click to undo some: {0}</source>
        <translation>클릭해서 되돌릴 것을 고르세요: {0}</translation>
    </message>
    <message>
        <source>{0} interventions</source>
        <translation>개입 {0}개</translation>
    </message>
    <message>
        <source>The output of this head is zero. Click to unmute it</source>
        <translation>이 헤드의 출력은 0입니다. 클릭하면 다시 켭니다</translation>
    </message>
    <message>
        <source>The output of these heads is zero: {0}. Click to unmute some</source>
        <translation>출력이 0인 헤드: {0}. 클릭해서 다시 켤 헤드를 고르세요</translation>
    </message>
    <message>
        <source>Unmute {0}</source>
        <translation>{0} 다시 켜기</translation>
    </message>
    <message>
        <source>Unmute all</source>
        <translation>모두 다시 켜기</translation>
    </message>
</context>
<context>
    <name>BarState</name>
    <message>
        <source>These are saved numbers of {0}. Looking for it on this computer …</source>
        <translation>{0} 체크포인트로 계산해 저장한 수치입니다. 이 컴퓨터에서 체크포인트를 찾는 중 …</translation>
    </message>
    <message>
        <source>This is a saved trace of {0}: its numbers are shown, its text cannot be changed.</source>
        <translation>{0}의 저장된 기록입니다. 수치는 볼 수 있지만 문장은 고칠 수 없습니다.</translation>
    </message>
    <message>
        <source>Encode the text</source>
        <translation>문장 인코딩</translation>
    </message>
    <message>
        <source>These are saved numbers of {0}, which is not on this computer: what needs the checkpoint itself cannot be shown, and the text cannot be changed.</source>
        <translation>{0} 체크포인트로 계산해 저장한 수치이며, 그 체크포인트는 이 컴퓨터에 없습니다. 체크포인트가 필요한 내용은 볼 수 없고 문장도 바꿀 수 없습니다.</translation>
    </message>
    <message>
        <source>Look for it …</source>
        <translation>찾기 …</translation>
    </message>
    <message>
        <source>This session holds neither numbers nor a fingerprint: whether it was saved with {0} cannot be checked. Nothing in it contradicts that.</source>
        <translation>이 세션에는 수치도 지문도 없어, {0} 체크포인트로 저장한 것인지 확인할 수 없습니다. 어긋나는 내용은 없습니다.</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>사용</translation>
    </message>
    <message>
        <source>{0} is not on this computer: the text is encoded with the checkpoint in use.</source>
        <translation>이 컴퓨터에 {0} 체크포인트가 없어, 사용 중인 체크포인트로 문장을 인코딩합니다.</translation>
    </message>
    <message>
        <source>Download it</source>
        <translation>내려받기</translation>
    </message>
    <message>
        <source>These are attention weights alone, of {0}: what needs more of the model cannot be shown. A text that you type is encoded with a checkpoint.</source>
        <translation>{0}의 어텐션 가중치뿐입니다. 모델의 다른 값이 필요한 것은 보여 줄 수 없습니다. 글을 입력하면 체크포인트로 인코딩합니다.</translation>
    </message>
    <message>
        <source>Shown is the attention within the encoder.</source>
        <translation>인코더 안의 어텐션을 보여 줍니다.</translation>
    </message>
    <message>
        <source>Shown is the attention within the decoder.</source>
        <translation>디코더 안의 어텐션을 보여 줍니다.</translation>
    </message>
    <message>
        <source>The tokens of the first row look at those of the second row.</source>
        <translation>첫째 줄의 토큰이 둘째 줄의 토큰을 봅니다.</translation>
    </message>
    <message>
        <source>These are saved numbers of {0}, which has changed since: in its folder is another checkpoint now. What needs the saved one cannot be shown, and the text cannot be changed.</source>
        <translation>{0} 체크포인트로 계산해 저장한 수치이며, 그 뒤 체크포인트가 바뀌어 지금 폴더에 있는 것은 다른 체크포인트입니다. 저장할 때의 체크포인트가 필요한 내용은 볼 수 없고 문장도 바꿀 수 없습니다.</translation>
    </message>
    <message>
        <source>Show the encoder&apos;s</source>
        <translation>인코더 보기</translation>
    </message>
    <message>
        <source>Show the decoder&apos;s</source>
        <translation>디코더 보기</translation>
    </message>
    <message>
        <source>Show from decoder to encoder</source>
        <translation>디코더에서 인코더로 보기</translation>
    </message>
    <message>
        <source>Show all layers and heads</source>
        <translation>모든 레이어와 헤드 보기</translation>
    </message>
    <message>
        <source>Encode with {0}</source>
        <translation>{0} 체크포인트로 인코딩</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>saved numbers</source>
        <translation>저장된 수치</translation>
    </message>
    <message>
        <source>Fingerprint {0}</source>
        <translation>지문 {0}</translation>
    </message>
    <message>
        <source>Computed by BertViz App {0}</source>
        <translation>BertViz App {0}에서 계산함</translation>
    </message>
    <message>
        <source>This file does not say where its numbers are from.</source>
        <translation>이 파일에는 수치의 출처가 적혀 있지 않습니다.</translation>
    </message>
    <message>
        <source>Open a folder …</source>
        <translation>폴더 열기 …</translation>
    </message>
    <message>
        <source>Open a file of weights …</source>
        <translation>가중치 파일 열기 …</translation>
    </message>
    <message>
        <source>From the hub …</source>
        <translation>허브에서 …</translation>
    </message>
    <message>
        <source>Answers about this checkpoint …</source>
        <translation>이 체크포인트에 대한 답 …</translation>
    </message>
    <message>
        <source>Choose a tokenizer folder …</source>
        <translation>토크나이저 폴더 고르기 …</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>opening …</source>
        <translation>여는 중 …</translation>
    </message>
</context>
<context>
    <name>BarsPlot</name>
    <message>
        <source>{0}: {1} values, from {2} to {3}</source>
        <translation>{0}: 값 {1}개, {2}부터 {3}까지</translation>
    </message>
    <message>
        <source>dimension {0}</source>
        <translation>차원 {0}</translation>
    </message>
</context>
<context>
    <name>BaseChoice</name>
    <message>
        <source>The checkpoint of run A</source>
        <translation>실행 A의 체크포인트</translation>
    </message>
</context>
<context>
    <name>BaseLine</name>
    <message>
        <source>Starts from the checkpoint</source>
        <translation>시작하는 체크포인트</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>고르기 …</translation>
    </message>
    <message>
        <source>The default checkpoint</source>
        <translation>기본 체크포인트</translation>
    </message>
    <message>
        <source>that of run A</source>
        <translation>실행 A의 체크포인트</translation>
    </message>
    <message>
        <source>saved during a training, before its end</source>
        <translation>학습 도중의 상태(끝난 모델이 아님)</translation>
    </message>
</context>
<context>
    <name>BatchGrid</name>
    <message>
        <source>Two texts in one batch, the shorter filled up with [PAD]</source>
        <translation>한 배치의 두 글, 짧은 글의 뒤는 [PAD]로 채움</translation>
    </message>
    <message>
        <source>text 1</source>
        <translation>글 1</translation>
    </message>
    <message>
        <source>text 2</source>
        <translation>글 2</translation>
    </message>
    <message>
        <source>mask of text 2</source>
        <translation>글 2의 마스크</translation>
    </message>
</context>
<context>
    <name>BendPicture</name>
    <message>
        <source>GELU: across what goes in, upwards what comes out</source>
        <translation>GELU: 가로는 들어가는 값, 세로는 나오는 값</translation>
    </message>
    <message>
        <source>This model has {0} in the place of GELU, whose curve this is.</source>
        <translation>이 모델에는 GELU 대신 {0} 함수가 있습니다. 곡선은 GELU입니다.</translation>
    </message>
    <message>
        <source>“{0}”: {1} numbers go through GELU, each by itself</source>
        <translation>‘{0}’: 수 {1}개가 하나씩 GELU를 지납니다</translation>
    </message>
    <message>
        <source>{0} of them are below 0, and come out between {1} and 0. The largest, {2}, passes.</source>
        <translation>그 가운데 {0}개는 0보다 작아서 {1}에서 0 사이의 값이 되어 나옵니다. 가장 큰 값 {2}: 거의 그대로 지나갑니다.</translation>
    </message>
</context>
<context>
    <name>BlackScreen</name>
    <message>
        <source>Black screen</source>
        <translation>검은 화면</translation>
    </message>
</context>
<context>
    <name>BothWaysPicture</name>
    <message>
        <source>The weights of two words on each other. Arrows go from cell to cell</source>
        <translation>두 단어가 서로에게 두는 가중치. 화살표로 칸을 옮깁니다</translation>
    </message>
    <message>
        <source>Layer {0}, head {1}: rows look at columns</source>
        <translation>레이어 {0}, 헤드 {1}: 행이 열을 봅니다</translation>
    </message>
</context>
<context>
    <name>BothWaysPlot</name>
    <message>
        <source>“{0}” → “{1}”</source>
        <translation>‘{0}’ → ‘{1}’</translation>
    </message>
</context>
<context>
    <name>CertificateDialog</name>
    <message>
        <source>Certificate</source>
        <translation>수료증</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Save as PDF …</source>
        <translation>PDF로 저장 …</translation>
    </message>
</context>
<context>
    <name>ChecksCard</name>
    <message>
        <source>Self-test of the sentence on screen</source>
        <translation>화면에 있는 문장의 자체 검사</translation>
    </message>
    <message>
        <source>what must hold</source>
        <translation>성립해야 하는 것</translation>
    </message>
    <message>
        <source>off by</source>
        <translation>오차</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>한계</translation>
    </message>
    <message>
        <source>It tests the program&apos;s arithmetic, not whether the checkpoint is a good model.</source>
        <translation>프로그램의 계산을 검사할 뿐, 체크포인트가 좋은 모델인지는 검사하지 않습니다.</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>통과</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
</context>
<context>
    <name>ChipMenu</name>
    <message>
        <source>Mask this token (Delete)</source>
        <translation>이 토큰 마스크하기 (Delete)</translation>
    </message>
    <message>
        <source>Undo: back to {0} (Delete)</source>
        <translation>원래대로: {0} (Delete)</translation>
    </message>
    <message>
        <source>Mask it and show what is expected there</source>
        <translation>마스크하고 그 자리에 예상되는 조각 보기</translation>
    </message>
    <message>
        <source>Replace this token … (F2)</source>
        <translation>이 토큰 바꾸기 … (F2)</translation>
    </message>
    <message>
        <source>Compare this word in every layer</source>
        <translation>이 단어를 레이어마다 비교</translation>
    </message>
    <message>
        <source>Why is it cut here?</source>
        <translation>왜 여기서 잘렸나요?</translation>
    </message>
    <message>
        <source>Compare with this token masked</source>
        <translation>이 토큰을 마스크해서 비교</translation>
    </message>
    <message>
        <source>Compare with this token replaced …</source>
        <translation>이 토큰을 바꾸어 비교 …</translation>
    </message>
    <message>
        <source>Written: {0}. Right click for more</source>
        <translation>쓴 글자: {0}. 오른쪽 클릭하면 메뉴가 열립니다</translation>
    </message>
    <message>
        <source>Right click: mask or replace this token, or compare both versions</source>
        <translation>오른쪽 클릭: 이 토큰을 마스크하거나 바꾸고, 그 결과와 비교합니다</translation>
    </message>
    <message>
        <source>Replace “{0}” (token {1}) by this piece of the vocabulary, or by {2}:</source>
        <translation>“{0}”(토큰 {1}) 대신 쓸 어휘의 조각, 또는 {2}:</translation>
    </message>
    <message>
        <source>Double click: mask it and show what is expected there</source>
        <translation>두 번 클릭: 마스크하고 그 자리에 예상되는 조각을 봅니다</translation>
    </message>
    <message>
        <source>“{0}” is not in this checkpoint&apos;s vocabulary: it reads {1}</source>
        <translation>“{0}”: 이 체크포인트의 어휘에 없어 {1} 토큰으로 읽습니다</translation>
    </message>
    <message>
        <source>In the vocabulary: {0}</source>
        <translation>어휘에 적힌 모습: {0}</translation>
    </message>
    <message>
        <source>Replace a token</source>
        <translation>토큰 바꾸기</translation>
    </message>
    <message>
        <source>Leave this token out</source>
        <translation>이 토큰 빼기</translation>
    </message>
    <message>
        <source>Give it segment {0}</source>
        <translation>다른 세그먼트 주기: {0}</translation>
    </message>
    <message>
        <source>Position ID of this token, from 0 to {0}:</source>
        <translation>이 토큰의 위치 ID(0부터 {0}까지):</translation>
    </message>
    <message>
        <source>Give it another position …</source>
        <translation>위치 바꾸기 …</translation>
    </message>
    <message>
        <source>{0} was added by the tokenizer and always stays:</source>
        <translation>{0} — 토크나이저가 넣은 토큰이라 늘 그대로 남습니다:</translation>
    </message>
    <message>
        <source>Another position</source>
        <translation>위치 바꾸기</translation>
    </message>
</context>
<context>
    <name>Chips</name>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>{0}: token ID {1}, segment {2}, position {3}</source>
        <translation>{0}: 토큰 ID {1}, 세그먼트 {2}, 위치 {3}</translation>
    </message>
    <message>
        <source>token ID</source>
        <translation>토큰 ID</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>세그먼트</translation>
    </message>
    <message>
        <source>position</source>
        <translation>위치</translation>
    </message>
</context>
<context>
    <name>ChipsPicture</name>
    <message>
        <source>added in front of every text; it can stand for the whole text</source>
        <translation>모든 글의 앞에 붙습니다. 글 전체를 나타내는 데 쓰일 수 있습니다</translation>
    </message>
    <message>
        <source>added at the end of each sentence</source>
        <translation>문장마다 끝에 붙습니다</translation>
    </message>
    <message>
        <source>in the place of what the vocabulary cannot write</source>
        <translation>어휘로 쓸 수 없는 것 대신 들어갑니다</translation>
    </message>
    <message>
        <source>in the place of a token that is hidden from the model</source>
        <translation>모델에게 가린 토큰 대신 들어갑니다</translation>
    </message>
    <message>
        <source>a piece that continues the one before it, without a space</source>
        <translation>앞 조각에 띄어쓰기 없이 이어지는 조각입니다</translation>
    </message>
</context>
<context>
    <name>ChoicesRow</name>
    <message>
        <source>Choose a file …</source>
        <translation>파일 선택 …</translation>
    </message>
    <message>
        <source>Texts to measure, or a table that was measured before</source>
        <translation>측정할 텍스트 파일, 또는 전에 측정한 표</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>What is measured stays saved: the same file goes on from there</source>
        <translation>측정한 부분은 저장됩니다. 같은 파일을 다시 고르면 이어서 측정합니다</translation>
    </message>
    <message>
        <source>Distributions</source>
        <translation>분포</translation>
    </message>
    <message>
        <source>A distribution of the sentences for each head</source>
        <translation>헤드마다 문장들의 분포</translation>
    </message>
    <message>
        <source>Two measures</source>
        <translation>두 지표</translation>
    </message>
    <message>
        <source>A dot for each head, by two of its measures</source>
        <translation>헤드마다 두 지표로 찍은 점 하나</translation>
    </message>
    <message>
        <source>Layer · head</source>
        <translation>레이어 · 헤드</translation>
    </message>
    <message>
        <source>Heads in their order in the model</source>
        <translation>모델 안의 순서대로</translation>
    </message>
    <message>
        <source>By mean</source>
        <translation>평균순</translation>
    </message>
    <message>
        <source>The head with the highest mean first</source>
        <translation>평균이 가장 높은 헤드부터</translation>
    </message>
    <message>
        <source>Measuring {0}: {1}</source>
        <translation>{0} 측정 중: {1}</translation>
    </message>
    <message>
        <source>Measuring {0} …</source>
        <translation>{0} 측정 중 …</translation>
    </message>
    <message>
        <source>{0}: {1} sentences, {2} heads</source>
        <translation>{0}: 문장 {1}개, 헤드 {2}개</translation>
    </message>
    <message>
        <source>; read as {0}</source>
        <translation>; 인코딩 {0}</translation>
    </message>
    <message>
        <source>; column {0}</source>
        <translation>; {0} 열</translation>
    </message>
    <message>
        <source>; lines left out: {0}</source>
        <translation>, 제외한 줄 {0}개</translation>
    </message>
    <message>
        <source>; with invisible characters that the tokenizer drops: {0}</source>
        <translation>; 토크나이저가 빼는 보이지 않는 문자가 있는 줄: {0}</translation>
    </message>
</context>
<context>
    <name>Classes</name>
    <message>
        <source>negative</source>
        <translation>부정</translation>
    </message>
    <message>
        <source>positive</source>
        <translation>긍정</translation>
    </message>
    <message>
        <source>question</source>
        <translation>의문문</translation>
    </message>
    <message>
        <source>statement</source>
        <translation>평서문</translation>
    </message>
</context>
<context>
    <name>ClsPage</name>
    <message>
        <source>layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>pooled</source>
        <translation>풀링</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>{0} in every layer, a strip each</source>
        <translation>모든 레이어의 {0}, 레이어마다 한 줄</translation>
    </message>
    <message>
        <source>cos A, B</source>
        <translation>cos A, B</translation>
    </message>
    <message>
        <source>max</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Each row has its own scale: full colour is the size that 99 % of its numbers do not exceed</source>
        <translation>행마다 척도가 다릅니다. 수의 99 %가 넘지 않는 크기를 가장 진한 색으로 칠합니다</translation>
    </message>
    <message>
        <source>All rows share one scale</source>
        <translation>모든 행을 하나의 척도로 칠합니다</translation>
    </message>
    <message>
        <source>Per row</source>
        <translation>행별</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>공통</translation>
    </message>
    <message>
        <source>Colour scale of the rows</source>
        <translation>행의 색 척도</translation>
    </message>
    <message>
        <source>The chosen vector as bars</source>
        <translation>고른 벡터의 막대그래프</translation>
    </message>
    <message>
        <source>{0} · dimension {1}</source>
        <translation>{0} · 차원 {1}</translation>
    </message>
</context>
<context>
    <name>ColumnsPlot</name>
    <message>
        <source>number {0}, column {1}</source>
        <translation>{0}번 수, {1}번 열</translation>
    </message>
    <message>
        <source>this head&apos;s columns of the query matrix</source>
        <translation>쿼리 행렬에서 이 헤드의 열들</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Find a command …</source>
        <translation>명령 찾기 …</translation>
    </message>
    <message>
        <source>No command or term matches.</source>
        <translation>맞는 명령이나 용어가 없습니다.</translation>
    </message>
    <message>
        <source>Used last</source>
        <translation>최근에 쓴 명령</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
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
        <source>Analyses</source>
        <translation>분석</translation>
    </message>
    <message>
        <source>Comparing and editing</source>
        <translation>비교와 편집</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>그리기</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>벡터</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>한눈에 보기</translation>
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
        <source>Print the lesson …</source>
        <translation>수업 인쇄 …</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Edit sentence 1</source>
        <translation>문장 1 고치기</translation>
    </message>
    <message>
        <source>Add or edit sentence 2</source>
        <translation>문장 2 추가/고치기</translation>
    </message>
    <message>
        <source>Remove sentence 2</source>
        <translation>문장 2 빼기</translation>
    </message>
    <message>
        <source>Choose a checkpoint</source>
        <translation>체크포인트 고르기</translation>
    </message>
    <message>
        <source>Open a checkpoint folder …</source>
        <translation>체크포인트 폴더 열기 …</translation>
    </message>
    <message>
        <source>Open a file of weights …</source>
        <translation>가중치 파일 열기 …</translation>
    </message>
    <message>
        <source>Open a checkpoint from the hub …</source>
        <translation>허브에서 체크포인트 열기 …</translation>
    </message>
    <message>
        <source>Answers about this checkpoint …</source>
        <translation>이 체크포인트에 대한 답 …</translation>
    </message>
    <message>
        <source>Choose a tokenizer folder …</source>
        <translation>토크나이저 폴더 고르기 …</translation>
    </message>
    <message>
        <source>Train a model …</source>
        <translation>모델 학습시키기 …</translation>
    </message>
    <message>
        <source>Heads over a corpus …</source>
        <translation>말뭉치에서 헤드 살펴보기 …</translation>
    </message>
    <message>
        <source>This head over a corpus</source>
        <translation>말뭉치에서 이 헤드 살펴보기</translation>
    </message>
    <message>
        <source>Add the panel&apos;s picture to the notes about its head</source>
        <translation>패널의 그림을 그 헤드의 메모에 추가</translation>
    </message>
    <message>
        <source>A training over time …</source>
        <translation>학습의 시간 …</translation>
    </message>
    <message>
        <source>Choose a device</source>
        <translation>장치 고르기</translation>
    </message>
    <message>
        <source>Recent texts</source>
        <translation>최근 문장</translation>
    </message>
    <message>
        <source>Unpin the token</source>
        <translation>고정한 토큰 풀기</translation>
    </message>
    <message>
        <source>Compare with attention weights of a file …</source>
        <translation>파일의 어텐션 가중치와 비교 …</translation>
    </message>
    <message>
        <source>Clear recent texts and files</source>
        <translation>최근 문장과 파일 지우기</translation>
    </message>
    <message>
        <source>Interventions: show or close</source>
        <translation>개입 열기/닫기</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>다시 하기</translation>
    </message>
    <message>
        <source>Undo (also while typing)</source>
        <translation>되돌리기 (입력 중에도)</translation>
    </message>
    <message>
        <source>Redo (also while typing)</source>
        <translation>다시 하기 (입력 중에도)</translation>
    </message>
    <message>
        <source>Predictions: show or close</source>
        <translation>예측 열기/닫기</translation>
    </message>
    <message>
        <source>Reset text size</source>
        <translation>글자 크기 초기화</translation>
    </message>
    <message>
        <source>Use the system theme</source>
        <translation>시스템 테마 사용</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>시작 화면</translation>
    </message>
    <message>
        <source>Presentation mode</source>
        <translation>발표 모드</translation>
    </message>
    <message>
        <source>Report a problem …</source>
        <translation>문제 보고 …</translation>
    </message>
    <message>
        <source>About BertViz App</source>
        <translation>BertViz App 정보</translation>
    </message>
    <message>
        <source>Lessons …</source>
        <translation>수업 …</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Explain what is under the pointer</source>
        <translation>포인터가 가리키는 것 설명</translation>
    </message>
    <message>
        <source>Next head</source>
        <translation>다음 헤드</translation>
    </message>
    <message>
        <source>Previous head</source>
        <translation>이전 헤드</translation>
    </message>
    <message>
        <source>Next layer</source>
        <translation>다음 레이어</translation>
    </message>
    <message>
        <source>Previous layer</source>
        <translation>이전 레이어</translation>
    </message>
    <message>
        <source>Lines of all heads of the layer, or of one</source>
        <translation>연결선: 레이어의 모든 헤드/한 헤드</translation>
    </message>
    <message>
        <source>Show run A in the panel</source>
        <translation>패널에 실행 A 보이기</translation>
    </message>
    <message>
        <source>Show run B in the panel</source>
        <translation>패널에 실행 B 보이기</translation>
    </message>
    <message>
        <source>Show A − B in the panel</source>
        <translation>패널에 A − B 보이기</translation>
    </message>
    <message>
        <source>Add a panel</source>
        <translation>패널 추가</translation>
    </message>
    <message>
        <source>Close the panel</source>
        <translation>패널 닫기</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>다음 패널</translation>
    </message>
    <message>
        <source>Previous panel</source>
        <translation>이전 패널</translation>
    </message>
    <message>
        <source>Options of the drawing …</source>
        <translation>그리기 옵션 …</translation>
    </message>
    <message>
        <source>Type a sentence first: an analysis is one of a text.</source>
        <translation>먼저 문장을 입력하세요. 분석은 글이 있어야 할 수 있습니다.</translation>
    </message>
    <message>
        <source>Show in the panel: {0}</source>
        <translation>패널에 보이기: {0}</translation>
    </message>
    <message>
        <source>Gallery of analyses …</source>
        <translation>분석 갤러리 …</translation>
    </message>
    <message>
        <source>All views: show {0}</source>
        <translation>모든 보기: {0}</translation>
    </message>
    <message>
        <source>All views: next of weights, norms, norms with residual</source>
        <translation>모든 보기: 가중치, 노름, 잔차를 포함한 노름을 차례로</translation>
    </message>
    <message>
        <source>Next treatment of special tokens: shown, hidden, removed</source>
        <translation>특수 토큰: 보이기, 숨기기, 빼기를 차례로</translation>
    </message>
    <message>
        <source>Join or split the pieces of words</source>
        <translation>단어의 조각 합치기/나누기</translation>
    </message>
    <message>
        <source>Rescale each row to add up to 1: on or off</source>
        <translation>각 행의 합을 1로 맞추기: 켜기/끄기</translation>
    </message>
    <message>
        <source>Next choice of sentences: all, 1 → 1, 1 → 2, 2 → 1, 2 → 2</source>
        <translation>문장 선택 넘기기: 모두, 1 → 1, 1 → 2, 2 → 1, 2 → 2</translation>
    </message>
    <message>
        <source>Show or hide weights on lines</source>
        <translation>선의 가중치 보이기/숨기기</translation>
    </message>
    <message>
        <source>Mark the largest weight of each row: on or off</source>
        <translation>행마다 최대 가중치 표시: 켜기/끄기</translation>
    </message>
    <message>
        <source>Hide or show special tokens</source>
        <translation>특수 토큰 숨기기/보이기</translation>
    </message>
    <message>
        <source>Join or split what stands between spaces</source>
        <translation>띄어쓰기 단위로 합치거나 나누기</translation>
    </message>
    <message>
        <source>Hide or show punctuation</source>
        <translation>문장 부호 숨기기/보이기</translation>
    </message>
    <message>
        <source>Parse: to heads, to dependents, hidden</source>
        <translation>구문 분석: 지배소로, 의존어로, 숨기기</translation>
    </message>
    <message>
        <source>Fewer lines</source>
        <translation>선 줄이기</translation>
    </message>
    <message>
        <source>More lines</source>
        <translation>선 늘리기</translation>
    </message>
    <message>
        <source>Next scale: shared, per head, log, per row</source>
        <translation>다음 척도: 공통, 헤드별, 로그, 행별</translation>
    </message>
    <message>
        <source>Next colours of the matrix</source>
        <translation>행렬 색 넘기기</translation>
    </message>
    <message>
        <source>Show or hide sums of rows and columns</source>
        <translation>행과 열의 합 보이기/숨기기</translation>
    </message>
    <message>
        <source>Reset drawing options</source>
        <translation>그리기 옵션 초기화</translation>
    </message>
    <message>
        <source>Steps: as lines of PyTorch, or as pictures</source>
        <translation>단계: PyTorch 코드로, 또는 그림으로</translation>
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
        <translation>모든 토큰 보기</translation>
    </message>
    <message>
        <source>Open a session, a trace or a text …</source>
        <translation>세션, 기록, 문장 열기 …</translation>
    </message>
    <message>
        <source>Save the session …</source>
        <translation>세션 저장 …</translation>
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
        <translation>한눈에 보기 열기/닫기</translation>
    </message>
    <message>
        <source>Heads: show or close</source>
        <translation>헤드 열기/닫기</translation>
    </message>
    <message>
        <source>Inspector: show or close</source>
        <translation>인스펙터 열기/닫기</translation>
    </message>
    <message>
        <source>Vector: show or close</source>
        <translation>벡터 열기/닫기</translation>
    </message>
    <message>
        <source>Attention cannot be sorted: show a measure first.</source>
        <translation>어텐션은 순서를 정할 수 있는 값이 아닙니다. 먼저 지표를 표시하세요.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>어텐션</translation>
    </message>
    <message>
        <source>Overview: show {0}</source>
        <translation>한눈에 보기: {0}</translation>
    </message>
    <message>
        <source>Overview: scale per head or shared</source>
        <translation>한눈에 보기 척도: 헤드별/공통</translation>
    </message>
    <message>
        <source>Overview: show the next measure</source>
        <translation>한눈에 보기: 다음 지표</translation>
    </message>
    <message>
        <source>Overview: sort by the measure, or by layer and head</source>
        <translation>한눈에 보기: 지표순 정렬/원래 순서</translation>
    </message>
    <message>
        <source>Overview: show all heads</source>
        <translation>한눈에 보기: 모든 헤드 다시 보기</translation>
    </message>
    <message>
        <source>Heads: show or hide null baselines beside the measures</source>
        <translation>헤드: 측정값 옆의 기준값 보이기/숨기기</translation>
    </message>
    <message>
        <source>Pin a pair of tokens first: click a cell of a matrix, or a line.</source>
        <translation>먼저 토큰 쌍을 고정하세요. 행렬의 칸이나 선을 클릭하면 됩니다.</translation>
    </message>
    <message>
        <source>Overview: show the pinned pair in every head, or what was shown before</source>
        <translation>한눈에 보기: 고정한 쌍을 모든 헤드에 표시하거나 이전 표시로 되돌리기</translation>
    </message>
    <message>
        <source>Which head does this? Show the strongest</source>
        <translation>어느 헤드가 하는 일일까요? 가중치가 가장 큰 헤드 보기</translation>
    </message>
    <message>
        <source>Which head does this? Show the second</source>
        <translation>어느 헤드가 하는 일일까요? 두 번째로 큰 헤드 보기</translation>
    </message>
    <message>
        <source>Which head does this? Show the third</source>
        <translation>어느 헤드가 하는 일일까요? 세 번째로 큰 헤드 보기</translation>
    </message>
    <message>
        <source>Why this weight?</source>
        <translation>왜 이 가중치일까요?</translation>
    </message>
    <message>
        <source>Save as page …</source>
        <translation>페이지로 저장 …</translation>
    </message>
    <message>
        <source>Create a lesson page from this view …</source>
        <translation>지금 화면으로 수업의 장면 만들기 …</translation>
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
        <source>Switch between light and dark</source>
        <translation>밝게/어둡게 바꾸기</translation>
    </message>
    <message>
        <source>Learn: lessons and one picture</source>
        <translation>배우기: 수업과 그림 하나</translation>
    </message>
    <message>
        <source>Explore: one head, one picture</source>
        <translation>살펴보기: 헤드 하나, 그림 하나</translation>
    </message>
    <message>
        <source>Research: everything</source>
        <translation>연구하기: 모든 기능</translation>
    </message>
    <message>
        <source>All commands</source>
        <translation>모든 명령</translation>
    </message>
    <message>
        <source>Glossary</source>
        <translation>용어 사전</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>모든 단축키</translation>
    </message>
    <message>
        <source>Start or stop comparing with a second run</source>
        <translation>둘째 실행과 비교 시작/끝내기</translation>
    </message>
    <message>
        <source>Mute or unmute the panel&apos;s head</source>
        <translation>패널의 헤드 끄기/켜기</translation>
    </message>
    <message>
        <source>Mask the pinned token, or undo its edit</source>
        <translation>고정한 토큰 마스크하기/원래대로</translation>
    </message>
    <message>
        <source>This checkpoint has no head for masked tokens.</source>
        <translation>이 체크포인트에는 마스크한 토큰을 예측하는 헤드가 없습니다.</translation>
    </message>
    <message>
        <source>Swap run A and run B</source>
        <translation>실행 A와 B 맞바꾸기</translation>
    </message>
    <message>
        <source>Click a token first: that token is edited.</source>
        <translation>먼저 문장의 토큰을 클릭하세요. 클릭한 토큰을 편집합니다.</translation>
    </message>
    <message>
        <source>Compare with the panel&apos;s head muted</source>
        <translation>패널의 헤드를 끄고 비교</translation>
    </message>
    <message>
        <source>Mask the pinned token and show what is expected there</source>
        <translation>고정한 토큰을 마스크하고 예상되는 조각 보기</translation>
    </message>
    <message>
        <source>Replace the pinned token …</source>
        <translation>고정한 토큰 바꾸기 …</translation>
    </message>
    <message>
        <source>Compare with the pinned token masked</source>
        <translation>고정한 토큰을 마스크해서 비교</translation>
    </message>
    <message>
        <source>Compare with the pinned token replaced …</source>
        <translation>고정한 토큰을 바꾸어 비교 …</translation>
    </message>
    <message>
        <source>Undo all edits: tokens and heads</source>
        <translation>토큰과 헤드의 편집 모두 취소</translation>
    </message>
    <message>
        <source>Steps: next</source>
        <translation>단계: 다음</translation>
    </message>
    <message>
        <source>Steps: previous</source>
        <translation>단계: 이전</translation>
    </message>
    <message>
        <source>Steps: next layer</source>
        <translation>단계: 다음 레이어</translation>
    </message>
    <message>
        <source>Steps: previous layer</source>
        <translation>단계: 이전 레이어</translation>
    </message>
    <message>
        <source>Steps: follow the next token</source>
        <translation>단계: 다음 토큰 따라가기</translation>
    </message>
    <message>
        <source>Steps: follow the token before</source>
        <translation>단계: 이전 토큰 따라가기</translation>
    </message>
    <message>
        <source>Steps: play, or pause</source>
        <translation>단계: 재생/일시 정지</translation>
    </message>
    <message>
        <source>Steps: play the next stop</source>
        <translation>단계: 다음 단계 재생</translation>
    </message>
    <message>
        <source>Steps: why there is this stage</source>
        <translation>단계: 이 단계가 왜 있는지</translation>
    </message>
    <message>
        <source>Steps: all products of query and key</source>
        <translation>단계: 쿼리와 키의 모든 곱</translation>
    </message>
    <message>
        <source>Steps: {0} · {1}</source>
        <translation>단계: {0} · {1}</translation>
    </message>
    <message>
        <source>Steps: as a table, or as pictures</source>
        <translation>단계: 표/그림</translation>
    </message>
    <message>
        <source>Vectors: [CLS] in every layer</source>
        <translation>벡터: 모든 레이어의 [CLS]</translation>
    </message>
    <message>
        <source>Vectors: hidden states of all tokens</source>
        <translation>벡터: 모든 토큰의 은닉 상태</translation>
    </message>
    <message>
        <source>Vectors: map of the tokens</source>
        <translation>벡터: 토큰 지도</translation>
    </message>
    <message>
        <source>Vectors: cosine similarity of the tokens</source>
        <translation>벡터: 토큰의 코사인 유사도</translation>
    </message>
    <message>
        <source>Vectors: shelf of sentences</source>
        <translation>벡터: 문장 보관함</translation>
    </message>
    <message>
        <source>Vectors: next layer</source>
        <translation>벡터: 다음 레이어</translation>
    </message>
    <message>
        <source>Vectors: previous layer</source>
        <translation>벡터: 이전 레이어</translation>
    </message>
    <message>
        <source>Map: common axes, or axes per layer</source>
        <translation>지도: 공통 축/레이어별 축</translation>
    </message>
    <message>
        <source>Add the sentence to the shelf</source>
        <translation>문장을 보관함에 넣기</translation>
    </message>
    <message>
        <source>Remove the selected sentence from the shelf</source>
        <translation>고른 문장을 보관함에서 빼기</translation>
    </message>
    <message>
        <source>Vectors: play through the layers</source>
        <translation>벡터: 레이어 차례로 재생</translation>
    </message>
    <message>
        <source>Words: every layer, or one head</source>
        <translation>단어: 모든 레이어, 또는 헤드 하나</translation>
    </message>
    <message>
        <source>Clear the shelf</source>
        <translation>보관함 비우기</translation>
    </message>
    <message>
        <source>Copy the panel as a picture</source>
        <translation>패널을 그림으로 복사</translation>
    </message>
    <message>
        <source>Save the panel as a picture …</source>
        <translation>패널을 그림으로 저장 …</translation>
    </message>
    <message>
        <source>Save the panel&apos;s numbers …</source>
        <translation>패널의 수치 저장 …</translation>
    </message>
    <message>
        <source>Copy the panel as Python</source>
        <translation>패널을 Python으로 복사</translation>
    </message>
    <message>
        <source>Next station of the lesson</source>
        <translation>수업: 다음 장면</translation>
    </message>
    <message>
        <source>Station before</source>
        <translation>수업: 이전 장면</translation>
    </message>
    <message>
        <source>Stations of the lesson …</source>
        <translation>수업의 장면 목록 …</translation>
    </message>
    <message>
        <source>Teacher&apos;s notes …</source>
        <translation>교사용 메모 …</translation>
    </message>
    <message>
        <source>Reveal the answer of the vote</source>
        <translation>투표의 답 공개</translation>
    </message>
    <message>
        <source>Hand-out of this head …</source>
        <translation>이 헤드의 학습지 …</translation>
    </message>
    <message>
        <source>Change this station of your lesson …</source>
        <translation>내 수업의 이 장면 고치기 …</translation>
    </message>
    <message>
        <source>Arrange the stations of your lesson …</source>
        <translation>내 수업의 장면 순서 바꾸기 …</translation>
    </message>
    <message>
        <source>Black screen, in a lesson</source>
        <translation>검은 화면(수업 중)</translation>
    </message>
    <message>
        <source>Parameters: table of all</source>
        <translation>매개변수: 전체 표</translation>
    </message>
    <message>
        <source>Parameters: picture of a matrix</source>
        <translation>매개변수: 행렬 그림</translation>
    </message>
    <message>
        <source>Parameters: a row times a column</source>
        <translation>매개변수: 행 곱하기 열</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Run B</source>
        <translation>실행 B</translation>
    </message>
    <message>
        <source>A second run, shown beside run A. An empty field means: same as in run A</source>
        <translation>실행 A와 나란히 보이는 둘째 실행입니다. 비워 두면 실행 A와 같습니다</translation>
    </message>
    <message>
        <source>The checkpoint of run B</source>
        <translation>실행 B의 체크포인트</translation>
    </message>
    <message>
        <source>Swap run A and run B (Ctrl+Shift+X)</source>
        <translation>실행 A와 B 맞바꾸기 (Ctrl+Shift+X)</translation>
    </message>
    <message>
        <source>Swap run A and run B</source>
        <translation>실행 A와 B 맞바꾸기</translation>
    </message>
    <message>
        <source>Stop comparing (Ctrl+Shift+C)</source>
        <translation>비교 끝내기 (Ctrl+Shift+C)</translation>
    </message>
    <message>
        <source>Stop comparing</source>
        <translation>비교 끝내기</translation>
    </message>
    <message>
        <source>same checkpoint</source>
        <translation>같은 체크포인트</translation>
    </message>
    <message>
        <source>same as run A: {0}</source>
        <translation>실행 A와 같음: {0}</translation>
    </message>
    <message>
        <source>same as run A: change a text, the checkpoint or a token</source>
        <translation>실행 A와 똑같습니다. 문장, 체크포인트, 토큰 가운데 하나를 바꾸세요</translation>
    </message>
    <message>
        <source>no second sentence</source>
        <translation>둘째 문장 없음</translation>
    </message>
    <message>
        <source>Run B: sentence 1</source>
        <translation>실행 B: 문장 1</translation>
    </message>
    <message>
        <source>Run B: sentence 2</source>
        <translation>실행 B: 문장 2</translation>
    </message>
    <message>
        <source>opening …</source>
        <translation>여는 중 …</translation>
    </message>
    <message>
        <source>opening … {0}</source>
        <translation>여는 중 … {0}</translation>
    </message>
    <message>
        <source>encoding …</source>
        <translation>인코딩 중 …</translation>
    </message>
</context>
<context>
    <name>ContentButton</name>
    <message>
        <source>What the panel shows: attention, or an analysis of the run</source>
        <translation>패널에 보일 것: 어텐션 또는 실행의 분석</translation>
    </message>
    <message>
        <source>What the panel shows</source>
        <translation>패널에 보일 것</translation>
    </message>
</context>
<context>
    <name>CorpusController</name>
    <message>
        <source>Texts and tables</source>
        <translation>텍스트와 표</translation>
    </message>
    <message>
        <source>Corpus</source>
        <translation>말뭉치</translation>
    </message>
</context>
<context>
    <name>CorpusPage</name>
    <message>
        <source>Heads over a corpus</source>
        <translation>말뭉치에서 본 헤드</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Back to the heads (measuring continues)</source>
        <translation>헤드 화면으로 돌아가기 (측정은 계속됩니다)</translation>
    </message>
    <message>
        <source>The distribution of every head</source>
        <translation>모든 헤드의 분포</translation>
    </message>
    <message>
        <source>Every line is measured; “Stop” ends it, and what is measured stays saved.</source>
        <translation>모든 줄을 측정합니다. ‘중지’를 누르면 끝나고, 그때까지 측정한 것은 저장되어 있습니다.</translation>
    </message>
    <message>
        <source>A dot for each head; a click opens its page.</source>
        <translation>점 하나가 헤드 하나입니다. 누르면 그 헤드의 페이지가 열립니다.</translation>
    </message>
    <message>
        <source>Each plot: sentences by their value, from 0 to {0}; the line is the mean.</source>
        <translation>그래프마다 문장을 값에 따라 0부터 {0}까지 나누어 셉니다. 세로선은 평균입니다.</translation>
    </message>
    <message>
        <source>A click above the bars opens the page of the head.</source>
        <translation>막대 위쪽을 누르면 그 헤드의 페이지가 열립니다.</translation>
    </message>
    <message>
        <source>The sentence on screen is not compared: the views show other numbers of it than the attention weights of all tokens.</source>
        <translation>화면에 있는 문장은 비교하지 않습니다. 지금 보기에는 모든 토큰의 어텐션 가중치가 아닌 다른 수치가 나와 있습니다.</translation>
    </message>
    <message>
        <source>▲ is the sentence on screen.</source>
        <translation>▲는 화면에 있는 문장입니다.</translation>
    </message>
    <message>
        <source>The sentence on screen is of another checkpoint: it is not compared.</source>
        <translation>화면에 있는 문장은 다른 체크포인트로 계산한 것이므로 비교하지 않습니다.</translation>
    </message>
    <message>
        <source>Which column has the texts?</source>
        <translation>어느 열이 글인가요?</translation>
    </message>
    <message>
        <source>Measure this column</source>
        <translation>이 열 재기</translation>
    </message>
    <message>
        <source>A name: what the head does in at least {0} of {1} sentences (share beside it); in each at least {2} of its attention goes there, or “broad” is an entropy as of equal weights on {3} of all tokens. Sentences of {4} tokens or fewer do not count. The rule is this program&apos;s own.</source>
        <translation>이름은 문장 {1}개 가운데 {0} 이상에서 헤드가 하는 일이며, 옆의 숫자는 그 비율입니다. 각 문장에서 어텐션의 {2} 이상이 그곳으로 가야 하고, “넓게 봄”은 전체 토큰의 {3}에 고르게 나눈 것만큼 엔트로피가 클 때입니다. 토큰이 {4}개 이하인 문장은 세지 않습니다. 이 규칙은 이 프로그램이 정한 것입니다.</translation>
    </message>
    <message>
        <source>▲ is the sentence on screen with interventions, which the corpus is without: {0}.</source>
        <translation>▲는 화면에 있는 문장이며, 말뭉치와 달리 개입이 적용되어 있습니다: {0}.</translation>
    </message>
    <message>
        <source>{0} · {1}   {2}: {3} of {4} sentences</source>
        <translation>{0} · {1}   {2}: 문장 {4}개 중 {3}개</translation>
    </message>
    <message>
        <source>Show the heads over {0}</source>
        <translation>{0}에서 헤드 살펴보기</translation>
    </message>
</context>
<context>
    <name>CorpusStart</name>
    <message>
        <source>What heads do over many sentences</source>
        <translation>헤드가 여러 문장에서 하는 일</translation>
    </message>
    <message>
        <source>One sentence is an example. Here every head of the open checkpoint is measured on every line of a text file: does a head do the same in all of them, or only in that one?</source>
        <translation>문장 하나는 예일 뿐입니다. 여기서는 텍스트 파일의 모든 줄에서 열려 있는 체크포인트의 모든 헤드를 측정합니다. 헤드가 모든 문장에서 같은 일을 할까요, 한 문장에서만 그럴까요?</translation>
    </message>
    <message>
        <source>Choose a text file with a sentence a line, or drop one here.</source>
        <translation>한 줄에 한 문장씩 있는 텍스트 파일을 고르거나 여기에 끌어다 놓습니다.</translation>
    </message>
    <message>
        <source>Every line is measured. The table is saved beside the file, and a run that was ended goes on from there.</source>
        <translation>모든 줄을 측정합니다. 결과 표는 파일 옆에 저장되며, 중단된 측정은 거기서부터 이어집니다.</translation>
    </message>
    <message>
        <source>Click a bar to list its sentences, and a sentence to open it in the window.</source>
        <translation>막대를 클릭하면 그 값이 나온 문장들이 나열되고, 문장을 클릭하면 창에 열립니다.</translation>
    </message>
    <message>
        <source>Choose a file …</source>
        <translation>파일 선택 …</translation>
    </message>
    <message>
        <source>Texts to measure, or a table that was measured before</source>
        <translation>측정할 텍스트 파일, 또는 전에 측정한 표</translation>
    </message>
    <message>
        <source>Or try an example</source>
        <translation>또는 예로 해 보기</translation>
    </message>
    <message>
        <source>{0} English sentences</source>
        <translation>영어 문장 {0}개</translation>
    </message>
    <message>
        <source>{0} Korean sentences</source>
        <translation>한국어 문장 {0}개</translation>
    </message>
</context>
<context>
    <name>CurvesView</name>
    <message>
        <source>Losses</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>cross-entropy in nats: the model’s surprise; lower is better</source>
        <translation>교차 엔트로피(내트): 모델이 정답에 놀라는 정도. 낮을수록 좋습니다</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>정확도</translation>
    </message>
    <message>
        <source>correlation of predicted and correct numbers</source>
        <translation>예측한 수와 정답의 상관</translation>
    </message>
    <message>
        <source>F1 of the labels</source>
        <translation>레이블의 F1</translation>
    </message>
    <message>
        <source>accuracy of the labels, F1 of the spans</source>
        <translation>레이블의 정확도와 구간의 F1</translation>
    </message>
    <message>
        <source>mean squared error; lower is better</source>
        <translation>평균 제곱 오차. 낮을수록 좋습니다</translation>
    </message>
    <message>
        <source>On held-out data</source>
        <translation>검증 데이터</translation>
    </message>
    <message>
        <source>Accuracy on held-out data over the steps</source>
        <translation>스텝에 따른 검증 데이터의 정확도</translation>
    </message>
    <message>
        <source>Accuracy on held-out text over the steps</source>
        <translation>스텝에 따른 검증용 글의 정확도</translation>
    </message>
    <message>
        <source>Losses over the steps</source>
        <translation>스텝에 따른 손실</translation>
    </message>
    <message>
        <source>On held-out text</source>
        <translation>검증용 글</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
</context>
<context>
    <name>CutPicture</name>
    <message>
        <source>How a word is cut. Arrows go through what is tried</source>
        <translation>단어를 자르는 과정. 화살표로 찾아본 조각을 옮겨 다닙니다</translation>
    </message>
    <message>
        <source>“{0}”: the longest piece from the left that the vocabulary has, then the same with the rest</source>
        <translation>‘{0}’: 왼쪽부터 어휘에 있는 가장 긴 조각을 찾고, 나머지에서 되풀이합니다</translation>
    </message>
    <message>
        <source>Point at a word: how is it cut?</source>
        <translation>단어를 가리켜 보세요. 어떻게 잘립니까?</translation>
    </message>
</context>
<context>
    <name>CutPlot</name>
    <message>
        <source>✓ in the vocabulary</source>
        <translation>✓ 어휘에 있음</translation>
    </message>
    <message>
        <source>✕ not in the vocabulary</source>
        <translation>✕ 어휘에 없음</translation>
    </message>
</context>
<context>
    <name>DetectorPicture</name>
    <message>
        <source>Another detector</source>
        <translation>다른 감지기</translation>
    </message>
    <message>
        <source>Vectors as strips, and a number of each</source>
        <translation>띠로 그린 벡터들과 저마다의 수</translation>
    </message>
    <message>
        <source>Detector {0} of {1}: its weights, and what it is for each token</source>
        <translation>감지기 {1}개 가운데 {0}번: 가중치와, 토큰마다 나오는 수</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>times the vector of each token, summed, and {0}</source>
        <translation>토큰마다 벡터와 곱해 더하고, {0}</translation>
    </message>
    <message>
        <source>It is above 0 for {0} of {1} tokens, and largest for “{2}”.</source>
        <translation>토큰 {1}개 가운데 {0}개에서 0보다 크고, ‘{2}’에서 가장 큽니다.</translation>
    </message>
    <message>
        <source>“{0}”: what its strongest detectors add, and the sum of all {1}</source>
        <translation>‘{0}’: 가장 강한 감지기들이 더하는 것과, {1}개 전체의 합</translation>
    </message>
    <message>
        <source>detector {0}</source>
        <translation>감지기 {0}</translation>
    </message>
    <message>
        <source>and {0} weaker ones</source>
        <translation>그리고 더 약한 {0}개</translation>
    </message>
    <message>
        <source>{0} of {1} detectors are active here, above 0.1. The bar is the length of what each adds.</source>
        <translation>감지기 {1}개 가운데 {0}개가 여기서 켜져 있습니다(0.1 초과). 막대는 저마다 더하는 것의 길이입니다.</translation>
    </message>
</context>
<context>
    <name>DeviceBox</name>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Save the report</source>
        <translation>보고서 저장</translation>
    </message>
    <message>
        <source>Texts (*.txt)</source>
        <translation>텍스트 (*.txt)</translation>
    </message>
    <message>
        <source>BertViz App ended unexpectedly the last time. What was open is shown again.</source>
        <translation>지난번에 BertViz App이 예기치 않게 끝났습니다. 열려 있던 것을 다시 보여 줍니다.</translation>
    </message>
    <message>
        <source>Report …</source>
        <translation>보고서 …</translation>
    </message>
    <message>
        <source>{0} (what is it?)</source>
        <translation>{0} (무엇인가요?)</translation>
    </message>
</context>
<context>
    <name>DicePicture</name>
    <message>
        <source>Roll again</source>
        <translation>다시 굴리기</translation>
    </message>
    <message>
        <source>Roll 100 times</source>
        <translation>100번 굴리기</translation>
    </message>
    <message>
        <source>The dice choose {0} of {1} tokens, 15 %. The model has to guess what was there.</source>
        <translation>주사위가 토큰 {1}개 가운데 {0}개(15 %)를 고릅니다. 모델은 그 자리에 무엇이 있었는지 맞혀야 합니다.</translation>
    </message>
    <message>
        <source>hidden: [MASK]</source>
        <translation>가림: [MASK]</translation>
    </message>
    <message>
        <source>swapped for another</source>
        <translation>다른 토큰으로 바꿈</translation>
    </message>
    <message>
        <source>left as it is</source>
        <translation>그대로 둠</translation>
    </message>
    <message>
        <source>{0} tokens chosen so far. Broken line: 80, 10 and 10 %</source>
        <translation>지금까지 고른 토큰 {0}개. 점선: 80, 10, 10 %</translation>
    </message>
</context>
<context>
    <name>DistanceBars</name>
    <message>
        <source>Share of the weight by distance</source>
        <translation>거리에 따른 가중치의 몫</translation>
    </message>
    <message>
        <source>{0} before</source>
        <translation>{0}칸 앞</translation>
    </message>
    <message>
        <source>{0} after</source>
        <translation>{0}칸 뒤</translation>
    </message>
    <message>
        <source>the same token</source>
        <translation>같은 토큰</translation>
    </message>
    <message>
        <source>{0}: {1} of the weight</source>
        <translation>{0}: 가중치의 {1}</translation>
    </message>
</context>
<context>
    <name>DistributionsView</name>
    <message>
        <source>mean {0}</source>
        <translation>평균 {0}</translation>
    </message>
</context>
<context>
    <name>Divergence</name>
    <message>
        <source>the checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>the tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>the muted heads ({0})</source>
        <translation>끈 헤드({0})</translation>
    </message>
    <message>
        <source>interventions ({0})</source>
        <translation>개입({0})</translation>
    </message>
    <message>
        <source>The runs differ in several things: {0}.</source>
        <translation>두 실행은 여러 가지가 다릅니다: {0}.</translation>
    </message>
    <message>
        <source>Muted in one run only: {0}.</source>
        <translation>한 실행에서만 끈 헤드: {0}.</translation>
    </message>
    <message>
        <source>One run only: {0}.</source>
        <translation>한 실행에만 있음: {0}.</translation>
    </message>
    <message>
        <source>Cosine of the pooled vectors of A and B: {0}.</source>
        <translation>A와 B의 풀링 벡터의 코사인: {0}.</translation>
    </message>
    <message>
        <source>Cosine of the last vectors of {1} in A and B: {0}.</source>
        <translation>A와 B에서 {1}의 마지막 벡터의 코사인: {0}.</translation>
    </message>
    <message>
        <source>Cosine of the sentence vectors of A and B: {0}.</source>
        <translation>A와 B 문장 벡터의 코사인: {0}.</translation>
    </message>
    <message>
        <source>{0}; {1} more</source>
        <translation>{0}; 그 밖에 {1}개</translation>
    </message>
</context>
<context>
    <name>DivergenceView</name>
    <message>
        <source>How far runs A and B are apart, head by head</source>
        <translation>헤드마다 실행 A와 B가 얼마나 다른지</translation>
    </message>
    <message>
        <source>measuring …</source>
        <translation>측정 중 …</translation>
    </message>
    <message>
        <source>All heads attend identically in both runs.</source>
        <translation>두 실행에서 모든 헤드의 어텐션이 같습니다.</translation>
    </message>
    <message>
        <source>Most different head: {0}·{1}, {2:.3f} bits</source>
        <translation>가장 다른 헤드: {0}·{1}, {2:.3f}비트</translation>
    </message>
    <message>
        <source>{0:.3f} bits of Jensen–Shannon divergence</source>
        <translation>{0:.3f}비트(옌센–섀넌 발산)</translation>
    </message>
    <message>
        <source>{0:.3f} bits (Jensen–Shannon)</source>
        <translation>{0:.3f}비트(JS 발산)</translation>
    </message>
    <message>
        <source>Measured on the attention weights of all tokens, whatever other views show: {0}.</source>
        <translation>다른 보기의 설정과 관계없이 모든 토큰의 어텐션 가중치로 측정한 값입니다. 다른 보기: {0}.</translation>
    </message>
    <message>
        <source>{0}: A {1} − B {2} = {3}</source>
        <translation>{0}: A {1} − B {2} = {3}</translation>
    </message>
    <message>
        <source>{0}: the same weight in both runs</source>
        <translation>{0}: 두 실행의 가중치가 같음</translation>
    </message>
    <message>
        <source>{0}: the same norm in both runs</source>
        <translation>{0}: 두 실행의 노름이 같음</translation>
    </message>
    <message>
        <source>A − B of {0}: the most in head {1}·{2}, {3}</source>
        <translation>{0}의 A − B: 차이가 가장 큰 헤드 {1}·{2}, {3}</translation>
    </message>
    <message>
        <source>{0:.3f} bits</source>
        <translation>{0:.3f}비트</translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation>레이어 {0} · 헤드 {1}</translation>
    </message>
    <message>
        <source>Run B has no counterpart of {0}: choose A above to see its weights.</source>
        <translation>실행 B에는 {0}에 해당하는 토큰 쌍이 없습니다. 가중치를 보려면 위에서 A를 선택하세요.</translation>
    </message>
    <message>
        <source>{0:.4f} bits apart (Jensen-Shannon divergence, mean over the queries)</source>
        <translation>{0:.4f}비트 차이 (JS 발산, 쿼리 평균)</translation>
    </message>
</context>
<context>
    <name>DivisorBar</name>
    <message>
        <source>Reset</source>
        <translation>원래대로</translation>
    </message>
    <message>
        <source>The number that the products are divided by</source>
        <translation>곱을 나누는 수</translation>
    </message>
    <message>
        <source>What if √{0} = {1} were another number?</source>
        <translation>√{0} = {1} 대신 다른 수로 나눈다면?</translation>
    </message>
    <message>
        <source>α&apos; is a what-if. The model&apos;s own weights are α: ÷ √{0} = {1}.</source>
        <translation>α&apos;는 가정입니다. 모델의 실제 가중치는 α: ÷ √{0} = {1}.</translation>
    </message>
</context>
<context>
    <name>Dock</name>
    <message>
        <source>Overview</source>
        <translation>한눈에 보기</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>인스펙터</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>벡터</translation>
    </message>
    <message>
        <source>Interventions</source>
        <translation>개입</translation>
    </message>
    <message>
        <source>Detach from the window, or dock again</source>
        <translation>창에서 떼어 내거나 다시 붙입니다</translation>
    </message>
    <message>
        <source>Close (the menu opens it again)</source>
        <translation>닫기. 메뉴에서 다시 열 수 있습니다</translation>
    </message>
</context>
<context>
    <name>DocumentsDialog</name>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Find words in the documents …</source>
        <translation>문서에서 단어 찾기 …</translation>
    </message>
    <message>
        <source>Find words in the documents</source>
        <translation>문서에서 단어 찾기</translation>
    </message>
    <message>
        <source>The chosen document</source>
        <translation>고른 문서</translation>
    </message>
    <message>
        <source>This page is in English only.</source>
        <translation>이 문서는 영어로만 있습니다.</translation>
    </message>
    <message>
        <source>{0} · English</source>
        <translation>{0} · English</translation>
    </message>
    <message>
        <source>No document has these words.</source>
        <translation>이 단어가 있는 문서가 없습니다.</translation>
    </message>
    <message>
        <source>{0} is part of the source, not of the program.</source>
        <translation>{0}: 소스에만 있고 프로그램에는 들어 있지 않습니다.</translation>
    </message>
    <message>
        <source>Tutorials</source>
        <translation>처음부터 따라 하기</translation>
    </message>
    <message>
        <source>How to</source>
        <translation>방법 안내</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>참고</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>설명</translation>
    </message>
</context>
<context>
    <name>DropoutGrids</name>
    <message>
        <source>The numbers of a vector before dropout and after it</source>
        <translation>드롭아웃 전과 후의 벡터</translation>
    </message>
    <message>
        <source>number {0}</source>
        <translation>{0}번 수</translation>
    </message>
    <message>
        <source>before</source>
        <translation>전</translation>
    </message>
    <message>
        <source>after dropout</source>
        <translation>드롭아웃 후</translation>
    </message>
</context>
<context>
    <name>DropoutPicture</name>
    <message>
        <source>The share p of the numbers that is dropped</source>
        <translation>0으로 만드는 수의 비율 p</translation>
    </message>
    <message>
        <source>Draw again</source>
        <translation>다시 뽑기</translation>
    </message>
    <message>
        <source>The last vector of “{0}”: {1} numbers</source>
        <translation>‘{0}’의 마지막 벡터: 수 {1}개</translation>
    </message>
    <message>
        <source>{0} of {1} numbers are 0 now. The others are multiplied by 1 / (1 − p) = {2}, so that all sizes together stay about the same: {3} before, {4} after.</source>
        <translation>수 {1}개 가운데 {0}개가 0이 되었습니다. 나머지는 1 / (1 − p) = {2}배가 되어 크기의 합이 거의 그대로입니다. 전 {3}, 후 {4}.</translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message>
        <source>This is a web address: save the page as a file, and drop that file.</source>
        <translation>웹 주소입니다. 그 내용을 파일로 저장한 뒤 파일을 놓으세요.</translation>
    </message>
    <message>
        <source>Show this text</source>
        <translation>이 문장 보기</translation>
    </message>
    <message>
        <source>Drop one file or folder at a time.</source>
        <translation>파일이나 폴더를 한 번에 하나씩 놓으세요.</translation>
    </message>
    <message>
        <source>Open the session {0}</source>
        <translation>세션 {0} 열기</translation>
    </message>
    <message>
        <source>Open the trace {0}</source>
        <translation>기록 {0} 열기</translation>
    </message>
    <message>
        <source>Show the text in {0}</source>
        <translation>{0}의 문장 보기</translation>
    </message>
    <message>
        <source>Open the checkpoint {0}</source>
        <translation>체크포인트 {0} 열기</translation>
    </message>
    <message>
        <source>This cannot be opened: drop a checkpoint folder or its weights (.safetensors, .bin, .pt, .pth), a .bva, .npz or .txt file, or text.</source>
        <translation>열 수 없습니다. 체크포인트 폴더나 가중치(.safetensors, .bin, .pt, .pth), .bva·.npz·.txt 파일, 또는 글을 놓으세요.</translation>
    </message>
</context>
<context>
    <name>EndPicture</name>
    <message>
        <source>Now a sentence of your own: see in it what you have learnt.</source>
        <translation>이제 자기 문장을 넣어, 배운 것을 거기서 찾아보세요.</translation>
    </message>
    <message>
        <source>Next lesson: {0}</source>
        <translation>다음 수업: {0}</translation>
    </message>
    <message>
        <source>What you can now say</source>
        <translation>이제 말할 수 있는 것</translation>
    </message>
</context>
<context>
    <name>EntryPage</name>
    <message>
        <source>In what you see now</source>
        <translation>지금 화면에서</translation>
    </message>
    <message>
        <source>What it is not</source>
        <translation>헷갈리기 쉬운 점</translation>
    </message>
    <message>
        <source>Where to see it</source>
        <translation>볼 수 있는 곳</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>“{0}” must be null for the right option</source>
        <translation>맞는 선택지에서는 “{0}” 값이 null이어야 합니다</translation>
    </message>
    <message>
        <source>The tokenizer of {0} is not one of BERT&apos;s kind.</source>
        <translation>{0}의 토크나이저는 BERT의 방식이 아닙니다.</translation>
    </message>
    <message>
        <source>The vocabulary of {0} has no {1}.</source>
        <translation>{0}의 어휘에 {1} 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>Choose a checkpoint with a WordPiece tokenizer.</source>
        <translation>WordPiece 토크나이저를 쓰는 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>The head for masked tokens of {0} has a table of its own.</source>
        <translation>{0}의 가린 토큰 예측 헤드는 임베딩과 다른 별도의 표를 씁니다.</translation>
    </message>
    <message>
        <source>Choose a checkpoint whose head uses the token embeddings, as BERT&apos;s does.</source>
        <translation>BERT처럼 헤드가 토큰 임베딩을 함께 쓰는 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>The sizes are those of the model that the training begins with.</source>
        <translation>크기는 학습을 시작하는 모델의 것을 따릅니다.</translation>
    </message>
    <message>
        <source>Leave out --layers, --heads, --width, --vocab and --positions.</source>
        <translation>--layers, --heads, --width, --vocab, --positions를 빼세요.</translation>
    </message>
    <message>
        <source>1 token was left out: this model reads at most {0}.</source>
        <translation>토큰 1개를 뺐습니다. 이 모델은 {0}개까지 읽습니다.</translation>
    </message>
    <message>
        <source>A BERT checkpoint has &quot;model_type&quot;: &quot;bert&quot;.</source>
        <translation>BERT 체크포인트에는 &quot;model_type&quot;: &quot;bert&quot;가 있습니다.</translation>
    </message>
    <message>
        <source>A batch of {0} tokens cannot hold one text of {1}.</source>
        <translation>토큰 {0}개짜리 배치에는 {1}토큰 글 하나가 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>A first batch of {0} tokens cannot grow to {1}.</source>
        <translation>토큰 {0}개짜리 첫 배치가 {1}개로 커질 수는 없습니다.</translation>
    </message>
    <message>
        <source>A head is chosen within a layer.</source>
        <translation>헤드는 레이어 안에서 고릅니다.</translation>
    </message>
    <message>
        <source>A part of the weights is missing: {0}, which {1} names.</source>
        <translation>가중치 한 조각이 없습니다: {1}에 적힌 {0}.</translation>
    </message>
    <message>
        <source>A picture cannot be written as “{0}”.</source>
        <translation>그림을 “{0}” 형식으로 저장할 수 없습니다.</translation>
    </message>
    <message>
        <source>A picture of {0} x {1} pixels is too large.</source>
        <translation>{0} x {1} 픽셀 그림은 너무 큽니다.</translation>
    </message>
    <message>
        <source>A vocabulary has one piece a line, special tokens among them.</source>
        <translation>어휘 파일에는 특수 토큰을 포함해 한 줄에 조각 하나씩 있어야 합니다.</translation>
    </message>
    <message>
        <source>A width of {0} cannot be shared by {1} heads.</source>
        <translation>헤드 {1}개가 너비 {0}의 벡터를 똑같이 나누어 가질 수 없습니다.</translation>
    </message>
    <message>
        <source>Add a file with sentences.</source>
        <translation>문장이 있는 파일을 추가하세요.</translation>
    </message>
    <message>
        <source>All matrices together would take {0} GiB of memory.</source>
        <translation>모든 행렬을 합치면 메모리가 {0} GiB 필요합니다.</translation>
    </message>
    <message>
        <source>All rows of {0} have the label “{1}”.</source>
        <translation>{0}의 모든 행은 레이블이 “{1}”입니다.</translation>
    </message>
    <message>
        <source>All {0} layers share the weights of one.</source>
        <translation>레이어 {0}개가 모두 같은 가중치를 함께 씁니다.</translation>
    </message>
    <message>
        <source>Another training is under way in {0}.</source>
        <translation>{0}에서 다른 학습이 진행 중입니다.</translation>
    </message>
    <message>
        <source>Ask for 1 or more.</source>
        <translation>1개 이상을 요청하세요.</translation>
    </message>
    <message>
        <source>Ask for access on its page, then log in with `hf auth login`.</source>
        <translation>모델 페이지에서 접근을 신청한 뒤 `hf auth login`으로 로그인하세요.</translation>
    </message>
    <message>
        <source>Ask for one layer, one head, or a rectangle of rows and columns.</source>
        <translation>레이어 하나, 헤드 하나, 또는 행과 열의 일부만 요청하세요.</translation>
    </message>
    <message>
        <source>Check the branch, tag or commit.</source>
        <translation>브랜치, 태그, 커밋을 확인하세요.</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions.</source>
        <translation>폴더의 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>Check the name.</source>
        <translation>이름을 확인하세요.</translation>
    </message>
    <message>
        <source>Check the path and the file.</source>
        <translation>경로와 파일을 확인하세요.</translation>
    </message>
    <message>
        <source>Check the spelling; for a private model log in with `hf auth login`.</source>
        <translation>철자를 확인하세요. 비공개 모델이면 `hf auth login`으로 로그인하세요.</translation>
    </message>
    <message>
        <source>Checkpoints of the family “{0}” cannot be read.</source>
        <translation>“{0}” 계열의 체크포인트는 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Choose a checkpoint of the family BERT.</source>
        <translation>BERT 계열의 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Choose a file of labels and texts.</source>
        <translation>레이블과 글이 든 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a folder.</source>
        <translation>폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Choose a model with both files.</source>
        <translation>두 파일이 모두 있는 모델을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a smaller one.</source>
        <translation>더 작은 모델을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a token of the text.</source>
        <translation>문장의 토큰을 고르세요.</translation>
    </message>
    <message>
        <source>Choose an empty or a new folder.</source>
        <translation>빈 폴더나 새 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Choose another model, or another revision of it.</source>
        <translation>다른 모델이나 다른 리비전을 고르세요.</translation>
    </message>
    <message>
        <source>Choose it again, or leave it out.</source>
        <translation>다시 고르거나 목록에서 빼세요.</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>하나를 고르세요.</translation>
    </message>
    <message>
        <source>Delete it: it is made again from the texts.</source>
        <translation>지우세요. 글에서 다시 만들어집니다.</translation>
    </message>
    <message>
        <source>Encode it again.</source>
        <translation>다시 인코딩하세요.</translation>
    </message>
    <message>
        <source>Examples of {0} tokens do not go with {1} positions.</source>
        <translation>{0}토큰 예제는 위치 {1}개와 맞지 않습니다.</translation>
    </message>
    <message>
        <source>Families that can: {0}.</source>
        <translation>읽을 수 있는 계열: {0}.</translation>
    </message>
    <message>
        <source>Fetch both files again; they come with the checkpoint.</source>
        <translation>두 파일을 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch config.json again; it comes with the checkpoint.</source>
        <translation>config.json을 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch its files again; they come with the checkpoint.</source>
        <translation>그 파일들을 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch the file again.</source>
        <translation>파일을 다시 받으세요.</translation>
    </message>
    <message>
        <source>Fetch the file again; it comes with the checkpoint.</source>
        <translation>파일을 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch the file again; it may have been cut short.</source>
        <translation>파일을 다시 받으세요. 중간에 끊겼을 수 있습니다.</translation>
    </message>
    <message>
        <source>Fetch the file; it comes with the checkpoint.</source>
        <translation>파일을 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch the files again; they may be of different versions.</source>
        <translation>파일들을 다시 받으세요. 서로 다른 버전일 수 있습니다.</translation>
    </message>
    <message>
        <source>Fetch the tokenizer&apos;s files again; they come with the checkpoint.</source>
        <translation>토크나이저 파일을 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Free some space or choose another folder; nothing that was there before has changed.</source>
        <translation>공간을 비우거나 다른 폴더를 고르세요. 전에 있던 것은 그대로입니다.</translation>
    </message>
    <message>
        <source>Free some space, choose another folder, or a smaller model.</source>
        <translation>공간을 비우거나, 다른 폴더나 더 작은 모델을 고르세요.</translation>
    </message>
    <message>
        <source>Free some space, or set HF_HOME to a folder elsewhere.</source>
        <translation>공간을 비우거나 HF_HOME을 다른 폴더로 정하세요.</translation>
    </message>
    <message>
        <source>From the folder {0}.</source>
        <translation>폴더 {0}에 있습니다.</translation>
    </message>
    <message>
        <source>From the installed package {0}.</source>
        <translation>설치된 패키지 {0}에 있습니다.</translation>
    </message>
    <message>
        <source>From this computer&apos;s Hugging Face cache.</source>
        <translation>이 컴퓨터의 Hugging Face 캐시에 있습니다.</translation>
    </message>
    <message>
        <source>Give a checkpoint folder or its weights ({0}), a .bva, a .npz or a .txt file.</source>
        <translation>체크포인트 폴더나 가중치({0}), .bva, .npz, .txt 파일을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a file with sentences to train on.</source>
        <translation>학습할 문장이 있는 파일을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a folder, or org/name to download one from the hub.</source>
        <translation>폴더를 지정하거나, 허브에서 받을 org/name 이름을 쓰세요.</translation>
    </message>
    <message>
        <source>Give a larger batch.</source>
        <translation>더 큰 배치를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a length from 8 to the number of positions.</source>
        <translation>8부터 위치 수까지의 길이를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a length of 8 tokens or more.</source>
        <translation>8토큰 이상의 길이를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a number above 0 and at most that of a batch.</source>
        <translation>0보다 크고 배치의 토큰 수를 넘지 않는 수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a number from 0 to 1.</source>
        <translation>0부터 1까지의 수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a number of steps, tokens or minutes above 0.</source>
        <translation>0보다 큰 스텝 수나 토큰 수나 분을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a number of steps, tokens or minutes, or the schedule “constant”.</source>
        <translation>스텝 수나 토큰 수나 분을 지정하거나, 일정을 “constant”로 하세요.</translation>
    </message>
    <message>
        <source>Give a share above 0 and at most 1, such as 0.1.</source>
        <translation>0보다 크고 1 이하인 비율을 지정하세요. 예: 0.1.</translation>
    </message>
    <message>
        <source>Give a shorter part of it.</source>
        <translation>더 짧은 부분을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a shorter text, or choose a smaller checkpoint.</source>
        <translation>문장을 더 짧게 하거나 더 작은 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Give a small number above 0, as 5e-5.</source>
        <translation>5e-5처럼 0보다 큰 작은 수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a whole number from 1.</source>
        <translation>1 이상의 정수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give a whole number of steps from 1.</source>
        <translation>1 이상의 스텝 수를 정수로 지정하세요.</translation>
    </message>
    <message>
        <source>Give a width that the number of heads divides.</source>
        <translation>헤드 수로 나누어떨어지는 너비를 지정하세요.</translation>
    </message>
    <message>
        <source>Give another folder.</source>
        <translation>다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>Give more text to train on.</source>
        <translation>학습할 글을 더 추가하세요.</translation>
    </message>
    <message>
        <source>Give one above 0 and below 1, such as 0.001.</source>
        <translation>0.001처럼 0보다 크고 1보다 작은 값을 지정하세요.</translation>
    </message>
    <message>
        <source>Give one above 0 and below 1, such as 0.02.</source>
        <translation>0보다 크고 1보다 작은 값을 지정하세요. 예: 0.02.</translation>
    </message>
    <message>
        <source>Give one of: {0}.</source>
        <translation>다음 중 하나를 지정하세요: {0}.</translation>
    </message>
    <message>
        <source>Give rows of one text, or choose another checkpoint.</source>
        <translation>글이 하나인 행을 쓰거나, 다른 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Give rows of two labels or more: there is nothing to tell apart.</source>
        <translation>레이블이 두 가지 이상 나오는 행들을 쓰세요. 지금은 구별할 것이 없습니다.</translation>
    </message>
    <message>
        <source>Give sentences of five words or more.</source>
        <translation>다섯 단어 이상의 문장을 쓰세요.</translation>
    </message>
    <message>
        <source>Give the count of heads that the model was trained with.</source>
        <translation>모델을 학습할 때 쓴 헤드 수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give the layer too.</source>
        <translation>레이어도 정하세요.</translation>
    </message>
    <message>
        <source>Give the name of a new folder.</source>
        <translation>새 폴더의 이름을 지정하세요.</translation>
    </message>
    <message>
        <source>Give the settings it was begun with; only its end may be changed.</source>
        <translation>처음 시작할 때의 설정을 그대로 지정하세요. 끝나는 때만 바꿀 수 있습니다.</translation>
    </message>
    <message>
        <source>Go on with it by --resume, or give another folder.</source>
        <translation>--resume으로 이어서 하거나 다른 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>Go on with it, or choose another folder.</source>
        <translation>그 학습을 이어서 하거나 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Heads of width {0} cannot be rotated: dimensions turn in pairs.</source>
        <translation>너비가 {0}인 헤드는 회전할 수 없습니다. 차원은 둘씩 짝을 지어 돕니다.</translation>
    </message>
    <message>
        <source>Install the newer version to open it.</source>
        <translation>열려면 새 버전을 설치하세요.</translation>
    </message>
    <message>
        <source>Install the package again.</source>
        <translation>패키지를 다시 설치하세요.</translation>
    </message>
    <message>
        <source>It has none.</source>
        <translation>매개변수가 없습니다.</translation>
    </message>
    <message>
        <source>It has: {0}.</source>
        <translation>있는 매개변수: {0}.</translation>
    </message>
    <message>
        <source>It is a number from {0} to {1}.</source>
        <translation>{0}부터 {1}까지의 수여야 합니다.</translation>
    </message>
    <message>
        <source>It is a number.</source>
        <translation>수여야 합니다.</translation>
    </message>
    <message>
        <source>It is a text.</source>
        <translation>문자열이어야 합니다.</translation>
    </message>
    <message>
        <source>It is one of: {0}.</source>
        <translation>다음 가운데 하나여야 합니다: {0}.</translation>
    </message>
    <message>
        <source>It is yes or no.</source>
        <translation>yes 또는 no여야 합니다.</translation>
    </message>
    <message>
        <source>It is {0} or less.</source>
        <translation>{0} 이하여야 합니다.</translation>
    </message>
    <message>
        <source>It is {0} or more.</source>
        <translation>{0} 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>A checkpoint&apos;s {0} is what torch.save makes of a state dict.</source>
        <translation>체크포인트의 {0} 파일은 torch.save로 저장한 state dict입니다.</translation>
    </message>
    <message>
        <source>Ask for the model as {0}, or as torch.save writes it.</source>
        <translation>{0} 파일이나 torch.save가 쓴 그대로의 파일을 요청하세요.</translation>
    </message>
    <message>
        <source>Ask for the model as {0}, or save of your own the state dict alone: numbers only.</source>
        <translation>{0} 파일로 된 모델을 구하거나, 직접 만든 모델이면 수만 담긴 state dict만 저장하세요.</translation>
    </message>
    <message>
        <source>Ask for the model as {0}, which holds numbers only.</source>
        <translation>수만 담는 {0} 파일로 된 모델을 구하세요.</translation>
    </message>
    <message>
        <source>Check the network and try again; files already downloaded are not fetched again.</source>
        <translation>네트워크를 확인하고 다시 시도하세요. 이미 내려받은 파일은 다시 받지 않습니다.</translation>
    </message>
    <message>
        <source>Choose a folder with {0}, the weights and the tokenizer in it.</source>
        <translation>{0}, 가중치, 토크나이저가 든 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Give a folder, or a model of the hub such as sentence-transformers/{0}.</source>
        <translation>폴더나, sentence-transformers/{0} 같은 허브 모델 이름을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a piece of the vocabulary, or {0}.</source>
        <translation>어휘의 조각이나 {0} 토큰을 지정하세요.</translation>
    </message>
    <message>
        <source>Give one piece, such as a common word, or {0}.</source>
        <translation>흔한 단어 같은 조각 하나나 {0} 토큰을 지정하세요.</translation>
    </message>
    <message>
        <source>Install it: {0}.</source>
        <translation>다음을 설치하세요: {0}.</translation>
    </message>
    <message>
        <source>It would be read as {0}; give one of them, or {1}.</source>
        <translation>여러 조각으로 나뉩니다: {0}. 그중 하나나 {1} 토큰을 지정하세요.</translation>
    </message>
    <message>
        <source>Its tokenizer and its weights do not belong together.</source>
        <translation>토크나이저와 가중치가 서로 맞지 않습니다.</translation>
    </message>
    <message>
        <source>Join them in the folder {0}: {1}.</source>
        <translation>{0} 폴더에서 합치세요: {1}.</translation>
    </message>
    <message>
        <source>Known are {0} and {1}.</source>
        <translation>쓸 수 있는 것: {0}, {1}.</translation>
    </message>
    <message>
        <source>Known are {0}.</source>
        <translation>쓸 수 있는 것: {0}.</translation>
    </message>
    <message>
        <source>Layers and heads count from 0.</source>
        <translation>레이어와 헤드는 0부터 셉니다.</translation>
    </message>
    <message>
        <source>Leave out --resume to start one.</source>
        <translation>새로 시작하려면 --resume을 빼세요.</translation>
    </message>
    <message>
        <source>Line {0} has 1 column instead of {1}.</source>
        <translation>{0}번째 줄은 열이 {1}개가 아니라 1개입니다.</translation>
    </message>
    <message>
        <source>Line {0} has no label.</source>
        <translation>{0}번째 줄에 레이블이 없습니다.</translation>
    </message>
    <message>
        <source>Line {0} has no text.</source>
        <translation>{0}번째 줄에 글이 없습니다.</translation>
    </message>
    <message>
        <source>Line {0} has the label “{1}”, which is not among those learnt.</source>
        <translation>{0}번째 줄의 레이블 “{1}”: 학습한 적이 없는 레이블입니다.</translation>
    </message>
    <message>
        <source>Line {0} has {1} columns instead of {2}.</source>
        <translation>{0}번째 줄은 열이 {2}개가 아니라 {1}개입니다.</translation>
    </message>
    <message>
        <source>Make the folder {0} first, or choose another.</source>
        <translation>{0} 폴더를 먼저 만들거나 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>MeCab cannot open its dictionary “{0}”.</source>
        <translation>MeCab이 “{0}” 사전을 열 수 없습니다.</translation>
    </message>
    <message>
        <source>Means over the queries that have the number, special tokens among them: one unusual query may hide in them.</source>
        <translation>특수 토큰을 포함해 그 값이 있는 쿼리들의 평균이므로, 유별난 쿼리 하나는 드러나지 않을 수 있습니다.</translation>
    </message>
    <message>
        <source>Missing: {0}.</source>
        <translation>없는 것: {0}.</translation>
    </message>
    <message>
        <source>Names are like org/name.</source>
        <translation>이름은 org/name 꼴입니다.</translation>
    </message>
    <message>
        <source>No checkpoint is called “{0}”: no folder, no listed name, no cached model.</source>
        <translation>“{0}” 체크포인트가 없습니다. 폴더도, 목록의 이름도, 캐시의 모델도 아닙니다.</translation>
    </message>
    <message>
        <source>No other weight of this row is left to take the rest.</source>
        <translation>이 행에 나머지를 나누어 가질 다른 가중치가 없습니다.</translation>
    </message>
    <message>
        <source>No piece is given.</source>
        <translation>조각이 비어 있습니다.</translation>
    </message>
    <message>
        <source>Of another shape: {0} is {1} where config.json makes it {2}, and {3} more.</source>
        <translation>모양이 다른 것: {0}의 모양은 {1}인데 config.json대로라면 {2}입니다. 그 밖에 {3}개 더 있습니다.</translation>
    </message>
    <message>
        <source>Of another shape: {0} is {1} where config.json makes it {2}.</source>
        <translation>모양이 다른 것: {0}의 모양은 {1}인데 config.json대로라면 {2}입니다.</translation>
    </message>
    <message>
        <source>Open a .bva file that this program saved.</source>
        <translation>이 프로그램이 저장한 .bva 파일을 여세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint without global attention.</source>
        <translation>전역 어텐션이 없는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open an .npz file that this program saved.</source>
        <translation>이 프로그램이 저장한 .npz 파일을 여세요.</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation>다시 여세요.</translation>
    </message>
    <message>
        <source>Open its checkpoint.</source>
        <translation>그 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one that reads pairs, such as BERT.</source>
        <translation>BERT처럼 두 문장을 함께 읽는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one whose rotations are not scaled.</source>
        <translation>회전에 배율이 없는 것을 여세요.</translation>
    </message>
    <message>
        <source>Open one with &quot;rope_type&quot;: &quot;default&quot;.</source>
        <translation>&quot;rope_type&quot;: &quot;default&quot;인 것을 여세요.</translation>
    </message>
    <message>
        <source>Open one with embedding_size = {0}.</source>
        <translation>embedding_size = {0}인 것을 여세요.</translation>
    </message>
    <message>
        <source>Open one with head_dim = {0}.</source>
        <translation>head_dim = {0}인 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one with i_pad = 0.</source>
        <translation>i_pad = 0인 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one with position embeddings, such as BERT.</source>
        <translation>BERT처럼 위치 임베딩이 있는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one with relative_attention = true.</source>
        <translation>relative_attention = true인 것을 여세요.</translation>
    </message>
    <message>
        <source>Open one with {0} = {1}.</source>
        <translation>{0} = {1}인 것을 여세요.</translation>
    </message>
    <message>
        <source>Position embeddings cannot start as {0}.</source>
        <translation>위치 임베딩의 처음 값을 {0} 방식으로 정할 수 없습니다.</translation>
    </message>
    <message>
        <source>Positions count from 0.</source>
        <translation>위치는 0부터 셉니다.</translation>
    </message>
    <message>
        <source>Put the vocabulary that the model was trained with into its folder.</source>
        <translation>모델을 학습할 때 쓴 어휘 파일을 그 폴더에 넣으세요.</translation>
    </message>
    <message>
        <source>Remove {0}, and answer again.</source>
        <translation>{0} 파일을 지우고 다시 답하세요.</translation>
    </message>
    <message>
        <source>Rows besides these that cannot be used: {0}.</source>
        <translation>이 밖에 쓸 수 없는 행: {0}개.</translation>
    </message>
    <message>
        <source>Runs A and B have different interventions on heads.</source>
        <translation>실행 A와 B에서 헤드에 한 개입이 서로 다릅니다.</translation>
    </message>
    <message>
        <source>Save it as UTF-8 and try again.</source>
        <translation>UTF-8로 저장한 뒤 다시 시도하세요.</translation>
    </message>
    <message>
        <source>Save it as UTF-8.</source>
        <translation>UTF-8로 저장하세요.</translation>
    </message>
    <message>
        <source>Save it smaller, or as SVG or PDF.</source>
        <translation>더 작게 저장하거나, SVG나 PDF로 저장하세요.</translation>
    </message>
    <message>
        <source>Save the model again in float32, float16 or bfloat16.</source>
        <translation>모델을 float32, float16, bfloat16 중 하나로 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Save the model again, with every tensor written out.</source>
        <translation>모든 텐서를 빠짐없이 써서 모델을 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Save the model again.</source>
        <translation>모델을 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Save the whole model&apos;s state_dict.</source>
        <translation>모델 전체의 state_dict를 저장하세요.</translation>
    </message>
    <message>
        <source>Ships with the program.</source>
        <translation>프로그램에 들어 있습니다.</translation>
    </message>
    <message>
        <source>So much attention would take {0} GiB of memory.</source>
        <translation>이만큼의 어텐션은 메모리 {0} GiB를 차지합니다.</translation>
    </message>
    <message>
        <source>Start again with a smaller learning rate.</source>
        <translation>더 작은 학습률로 새로 시작하세요.</translation>
    </message>
    <message>
        <source>Start again in another folder.</source>
        <translation>다른 폴더에서 새로 시작하세요.</translation>
    </message>
    <message>
        <source>Supported are {0}. Choose a checkpoint that uses one of them.</source>
        <translation>{0}만 지원합니다. 그중 하나를 쓰는 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Take it out.</source>
        <translation>빼 주세요.</translation>
    </message>
    <message>
        <source>Take smaller batches, or a smaller model.</source>
        <translation>배치를 줄이거나 더 작은 모델을 쓰세요.</translation>
    </message>
    <message>
        <source>Task heads that are not used: {0}.</source>
        <translation>쓰지 않는 과제 헤드: {0}.</translation>
    </message>
    <message>
        <source>The added token “{0}” is declared with the id {1}; here, as in transformers, it has the next free one, {2}.</source>
        <translation>추가 토큰 “{0}”에 적힌 ID는 {1}번이지만, 여기서는 transformers에서처럼 다음 빈 ID인 {2}번을 씁니다.</translation>
    </message>
    <message>
        <source>The hub cannot be reached: HF_HUB_OFFLINE is set.</source>
        <translation>HF_HUB_OFFLINE이 설정되어 있어 허브에 연결할 수 없습니다.</translation>
    </message>
    <message>
        <source>The loss is not a number any more at step {0}.</source>
        <translation>스텝 {0}에서 손실이 발산하여 더는 수가 아닙니다.</translation>
    </message>
    <message>
        <source>The piece</source>
        <translation>조각</translation>
    </message>
    <message>
        <source>The pieces of this checkpoint&apos;s words are cut by “{0}”, which is not supported.</source>
        <translation>이 체크포인트가 단어를 조각내는 방법(“{0}”)은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>The share of {0} is {1}.</source>
        <translation>{0}의 비율이 {1}입니다.</translation>
    </message>
    <message>
        <source>The sizes in {0} are wrong. {1}</source>
        <translation>{0}에 적힌 크기가 잘못되었습니다. {1}</translation>
    </message>
    <message>
        <source>The text</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>The texts of this checkpoint are cut by Jieba, and {0} is not installed.</source>
        <translation>이 체크포인트는 글을 Jieba로 나누는데, {0} 패키지가 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>The texts of this checkpoint are cut by MeCab, and {0} is not installed.</source>
        <translation>이 체크포인트는 글을 MeCab으로 나누는데, {0} 패키지가 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>The tokenizer of this checkpoint is a {0}, and {1} has no {2}.</source>
        <translation>이 체크포인트의 토크나이저는 {0}인데, {1}에 {2} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>The tokenizer of this checkpoint is a {0}, which is not supported. {1}</source>
        <translation>이 체크포인트의 토크나이저는 지원하지 않는 {0}입니다. {1}</translation>
    </message>
    <message>
        <source>The tokenizer&apos;s files do not fit together.</source>
        <translation>토크나이저 파일들이 서로 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The weight on the token after the query; the last query has none and is left out.</source>
        <translation>쿼리 바로 다음 토큰에 대한 가중치. 다음 토큰이 없는 마지막 쿼리는 평균에서 뺍니다.</translation>
    </message>
    <message>
        <source>The weight on the token before the query; the first query has none and is left out.</source>
        <translation>쿼리 바로 앞 토큰에 대한 가중치. 앞 토큰이 없는 첫 쿼리는 평균에서 뺍니다.</translation>
    </message>
    <message>
        <source>There are no weights in {0}: neither {1} nor {2}.</source>
        <translation>{0}에 가중치가 없습니다. {1} 파일도 {2} 파일도 없습니다.</translation>
    </message>
    <message>
        <source>There is no head {0} · {1}: this model&apos;s last is {2} · {3}.</source>
        <translation>{0} · {1} 헤드가 없습니다. 이 모델의 마지막 헤드는 {2} · {3}입니다.</translation>
    </message>
    <message>
        <source>There is no tokenizer in {0}: neither {1} nor {2} nor a single .model.</source>
        <translation>{0}에 토크나이저가 없습니다. {1} 파일도, {2} 파일도, 하나뿐인 .model 파일도 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint&apos;s pooler is not used by sentence-transformers, which pools the tokens: {0}.</source>
        <translation>sentence-transformers는 이 체크포인트의 풀러를 쓰지 않고 토큰들을 풀링합니다: {0}.</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>목록</translation>
    </message>
    <message>
        <source>a number of more than 18 digits</source>
        <translation>18자리가 넘는 수</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>객체</translation>
    </message>
    <message>
        <source>half a character (the unpaired surrogate {0})</source>
        <translation>반쪽 문자(짝 없는 서로게이트 {0})</translation>
    </message>
    <message>
        <source>max_position_embeddings or pad_token_id is wrong. {0}</source>
        <translation>max_position_embeddings나 pad_token_id가 잘못되었습니다. {0}</translation>
    </message>
    <message>
        <source>sep_token_id in config.json must be the id of a token.</source>
        <translation>config.json의 sep_token_id는 토큰의 ID여야 합니다.</translation>
    </message>
    <message>
        <source>{0} and {1}</source>
        <translation>{0} 및 {1}</translation>
    </message>
    <message>
        <source>{0} and {1} more</source>
        <translation>{0} 외 {1}개</translation>
    </message>
    <message>
        <source>{0} and {1} number {2} pieces differently, such as “{3}”: {4} is used.</source>
        <translation>{0} 파일과 {1} 파일에서 번호가 다른 조각이 {2}개 있습니다(예: “{3}”). {4}의 번호를 씁니다.</translation>
    </message>
    <message>
        <source>{0} has an answer that can be none: one of {1} is wrong.</source>
        <translation>{0}에 있을 수 없는 답이 있습니다: {1} 중 하나가 잘못되었습니다.</translation>
    </message>
    <message>
        <source>{0} has {1} without {2}.</source>
        <translation>{0}에 {1}만 있고 {2} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no run of this model that can be continued.</source>
        <translation>{0}에는 이 모델의 이어서 할 수 있는 학습이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is a link that leads out of {1}, to {2}.</source>
        <translation>{0} 링크는 {1} 밖의 {2} 위치로 이어집니다.</translation>
    </message>
    <message>
        <source>{0} is damaged: it claims {1}, and has {2} bytes.</source>
        <translation>{0} 파일이 손상되었습니다. 적혀 있는 크기는 {1}인데 파일은 {2}바이트입니다.</translation>
    </message>
    <message>
        <source>{0} is no checkpoint: it has no {1}.</source>
        <translation>{0}: 체크포인트가 아닙니다. {1} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>{0} on the hub is no checkpoint that can be read: it lacks {1} or {2}.</source>
        <translation>허브의 {0}: 읽을 수 있는 체크포인트가 아닙니다. {1} 파일 또는 {2} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>{0} would run code when opened{1}, and was not opened.</source>
        <translation>{0} 파일은 열 때 코드를 실행하게 되어 있어{1} 열지 않았습니다.</translation>
    </message>
    <message>
        <source>Texts cannot be read by {0} tokens.</source>
        <translation>글을 {0}토큰씩 읽을 수는 없습니다.</translation>
    </message>
    <message>
        <source>0 heterogeneous, 1 vertical, 2 diagonal, 3 both, 4 block; and the shares by which the rule decides.</source>
        <translation>0 혼합, 1 세로, 2 대각선, 3 둘 다, 4 블록. 그리고 규칙이 쓰는 비율.</translation>
    </message>
    <message>
        <source>1 of {0} words is unknown to this model, which reads {1} instead.</source>
        <translation>단어 {0}개 중 1개가 이 모델의 어휘에 없어 {1} 토큰으로 읽습니다.</translation>
    </message>
    <message>
        <source>A block of {0} lines cannot be measured.</source>
        <translation>{0}줄짜리 블록은 측정할 수 없습니다.</translation>
    </message>
    <message>
        <source>A checkpoint is a folder, a name or a model of the hub, not {0}.</source>
        <translation>체크포인트는 폴더나 이름, 허브의 모델이어야 합니다. 주어진 것: {0}.</translation>
    </message>
    <message>
        <source>A classifier on a file</source>
        <translation>파일로 보는 분류기</translation>
    </message>
    <message>
        <source>A convolution of conv_kernel_size {0} and conv_groups {1} cannot be computed.</source>
        <translation>conv_kernel_size가 {0}이고 conv_groups가 {1}인 합성곱은 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>A dense layer projects each token&apos;s vector to {0} numbers, by which texts are compared token by token (ColBERT). PyLate also adds “{1}” to queries and “{2}” to documents, fills queries with masks, and leaves out the punctuation of documents; here texts are read as they stand.</source>
        <translation>밀집 레이어가 토큰마다 벡터를 수 {0}개로 투영하고, 글은 이 벡터로 토큰끼리 비교합니다(ColBERT). PyLate는 질의에 “{1}”, 문서에 “{2}”를 더하고 질의의 남은 자리를 마스크로 채우며 문서의 문장 부호를 뺍니다. 여기서는 글을 쓰인 그대로 읽습니다.</translation>
    </message>
    <message>
        <source>A device is a name or a torch.device, not {0}.</source>
        <translation>장치는 이름이나 torch.device여야 합니다. 주어진 것: {0}.</translation>
    </message>
    <message>
        <source>A dtype is a name or a torch.dtype, not {0}.</source>
        <translation>dtype은 이름이나 torch.dtype이어야 하며 {0} 형식은 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>A figure of a trace alone has other numbers than weights.</source>
        <translation>가중치가 아닌 수는 트레이스의 그림에만 그릴 수 있습니다.</translation>
    </message>
    <message>
        <source>A file is a name or a path, not {0}.</source>
        <translation>파일은 이름이나 경로여야 합니다. 주어진 것: {0}.</translation>
    </message>
    <message>
        <source>A head is named by two numbers from 0, not {0}.</source>
        <translation>헤드는 0부터 세는 두 수로 가리킵니다. {0}은(는) 아닙니다.</translation>
    </message>
    <message>
        <source>A history is of several checkpoints; {0} was given.</source>
        <translation>학습의 시간은 체크포인트 여럿으로 봅니다. 받은 것은 {0}개입니다.</translation>
    </message>
    <message>
        <source>A label that can be read from a vector need not be used by the model. Random labels of texts can only be memorised, so there is no control task: the accuracy is beside that of probes trained on shuffled labels.</source>
        <translation>벡터에서 읽을 수 있는 레이블이라고 해서 모델이 그것을 쓰는 것은 아닙니다. 글에 붙인 무작위 레이블은 외울 수밖에 없으므로 통제 과제가 없습니다. 대신 레이블을 섞어 학습한 프로브의 정확도와 나란히 보여 줍니다.</translation>
    </message>
    <message>
        <source>A label that can be read from a vector need not be used by the model; a probe may have learnt it itself: compare with the control task. Draws of the split differ: try other seeds.</source>
        <translation>벡터에서 읽을 수 있는 레이블이라고 해서 모델이 그것을 쓰는 것은 아니며, 프로브가 스스로 외웠을 수도 있습니다. 통제 과제와 견주세요. 나누는 방법에 따라서도 달라지니 다른 시드로도 해 보세요.</translation>
    </message>
    <message>
        <source>A map of queries and keys needs two tokens.</source>
        <translation>쿼리와 키의 지도에는 토큰이 둘 이상 있어야 합니다.</translation>
    </message>
    <message>
        <source>A model is what open_model returns, not {0}.</source>
        <translation>모델은 open_model이 돌려주는 것이어야 합니다. {0}은(는) 아닙니다.</translation>
    </message>
    <message>
        <source>A module of {0} has a tensor that is not known: {1}.</source>
        <translation>{0}의 모듈에 알 수 없는 텐서가 있습니다: {1}.</translation>
    </message>
    <message>
        <source>A module of {0} is for vectors of width {1}, not {2}.</source>
        <translation>{0}의 모듈은 너비가 {1}인 벡터를 위한 것인데, 여기서는 너비가 {2}입니다.</translation>
    </message>
    <message>
        <source>A module of {0} lacks {1}.</source>
        <translation>{0}의 모듈에 {1} 항목이 없습니다.</translation>
    </message>
    <message>
        <source>A p-value is a number from 0 to 1.</source>
        <translation>p-값은 0에서 1까지의 수입니다.</translation>
    </message>
    <message>
        <source>A parameter is named by a text, not {0}.</source>
        <translation>매개변수의 이름은 글이어야 합니다. 받은 것: {0}.</translation>
    </message>
    <message>
        <source>A path to what heads read needs receivers: a layer and a head for each.</source>
        <translation>헤드가 읽는 것으로 가는 경로에는 받는 헤드가 있어야 합니다. 헤드마다 레이어와 헤드의 번호를 쓰세요.</translation>
    </message>
    <message>
        <source>A piece is its embedding alone, without position and segment: what later layers read is that and much else. Where positions enter scores, a score is the part of the content.</source>
        <translation>조각은 위치와 세그먼트를 뺀 임베딩만입니다. 뒤쪽 레이어가 읽는 것에는 다른 것도 많이 섞여 있습니다. 위치가 점수에 들어가는 모델에서는 내용에서 나온 점수만입니다.</translation>
    </message>
    <message>
        <source>A probability is the model&apos;s own; how often the model is right at it is another question.</source>
        <translation>확률은 모델이 매긴 것입니다. 그런 확률일 때 모델이 실제로 얼마나 자주 맞는지는 다른 문제입니다.</translation>
    </message>
    <message>
        <source>A reference text belongs to a mean, not to “{0}”.</source>
        <translation>기준 글은 평균에만 쓰며 “{0}”에는 쓰지 않습니다.</translation>
    </message>
    <message>
        <source>A scheduler is an address, a Cluster or a Client, not {0}.</source>
        <translation>스케줄러는 주소나 Cluster, Client여야 하는데 {0}입니다.</translation>
    </message>
    <message>
        <source>A sentence stands for its strongest pair; tenths are those of a sample of sentences, and a weight says how much is read, not what it does.</source>
        <translation>문장은 가장 강한 쌍으로 대표됩니다. 10분위는 표본 문장들의 것이고, 가중치는 얼마나 읽는지를 말할 뿐 무엇을 하는지는 말하지 않습니다.</translation>
    </message>
    <message>
        <source>A shuffled sentence is unusual text: heads may do on it what they do on no real one.</source>
        <translation>섞은 문장은 실제 글이 아닙니다. 헤드가 실제 문장에서는 하지 않는 일을 할 수 있습니다.</translation>
    </message>
    <message>
        <source>A sign-flip test needs finite differences of one text or more, and n of 1 or more.</source>
        <translation>부호 뒤집기 검정에는 글 하나 이상의 유한한 차이와 1 이상의 n이 필요합니다.</translation>
    </message>
    <message>
        <source>A state of another text needs that text.</source>
        <translation>다른 글의 상태를 넣으려면 그 글이 필요합니다.</translation>
    </message>
    <message>
        <source>A state of this run comes from another text: no way leads to it from these tokens.</source>
        <translation>이 실행의 상태 하나가 다른 글에서 왔습니다. 이 토큰들에서 그리로 가는 길이 없습니다.</translation>
    </message>
    <message>
        <source>A study of rows reads one file, not {0}.</source>
        <translation>행을 읽는 연구는 파일 하나만 읽습니다. 받은 파일은 {0}개입니다.</translation>
    </message>
    <message>
        <source>A table cannot be written as “{0}”.</source>
        <translation>표를 “{0}” 형식으로 저장할 수 없습니다.</translation>
    </message>
    <message>
        <source>A text and its counterpart</source>
        <translation>글과 그 짝이 되는 글</translation>
    </message>
    <message>
        <source>A text of more than {0} tokens is tested only in a panel.</source>
        <translation>토큰이 {0}개를 넘는 글은 패널에서만 검사합니다.</translation>
    </message>
    <message>
        <source>A token is a position or a text, not {0}.</source>
        <translation>토큰은 위치나 글자로 지정합니다. {0} 형식은 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>A trace has attention weights alone; its model computes “{0}”.</source>
        <translation>트레이스에는 어텐션 가중치만 있습니다. ‘{0}’은(는) 모델이 계산합니다.</translation>
    </message>
    <message>
        <source>A trace has no parameters.</source>
        <translation>트레이스에는 매개변수가 없습니다.</translation>
    </message>
    <message>
        <source>A trace is needed, which model.trace returns, not {0}.</source>
        <translation>model.trace가 돌려주는 기록이 필요합니다. 주어진 것: {0}.</translation>
    </message>
    <message>
        <source>A vector that turns need not change what the model predicts.</source>
        <translation>벡터의 방향이 바뀌어도 모델의 예측은 그대로일 수 있습니다.</translation>
    </message>
    <message>
        <source>ALTI</source>
        <translation>ALTI 기여도</translation>
    </message>
    <message>
        <source>ALTI is defined for both.</source>
        <translation>ALTI는 두 방식 모두에 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>Activation patching</source>
        <translation>활성값 바꿔 넣기</translation>
    </message>
    <message>
        <source>Agreement of attributions</source>
        <translation>기여도 방법들의 일치</translation>
    </message>
    <message>
        <source>All are named in {0}.</source>
        <translation>모두 {0}에 적혀 있습니다.</translation>
    </message>
    <message>
        <source>All heads in the order of what replacing each does to the chosen outcome, and beside it their importance by gradients.</source>
        <translation>헤드를 하나씩 바꿀 때 선택한 결과가 많이 달라지는 순서로 늘어놓고, 기울기로 본 중요도를 나란히 보여 줍니다.</translation>
    </message>
    <message>
        <source>All panels of a station show one head: that of the active panel.</source>
        <translation>장면의 패널은 모두 같은 헤드, 곧 활성 패널의 헤드를 보여 줍니다.</translation>
    </message>
    <message>
        <source>An analysis is chosen by its key, not {0}.</source>
        <translation>분석은 키 이름(문자열)으로 고릅니다. 받은 값: {0}.</translation>
    </message>
    <message>
        <source>An attention weight is between 0 and 1, not {0}.</source>
        <translation>어텐션 가중치는 0과 1 사이여야 하는데 {0}입니다.</translation>
    </message>
    <message>
        <source>An image is pixels, not {0}.</source>
        <translation>이미지는 픽셀이어야 합니다. 준 것: {0}</translation>
    </message>
    <message>
        <source>Analyses with parameters of their own are not part of a station.</source>
        <translation>매개변수를 따로 정한 분석은 장면에 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>Analyses, Steps and predictions compute in float32.</source>
        <translation>분석, 단계, 예측은 float32로 계산합니다.</translation>
    </message>
    <message>
        <source>Another encoding is given by {0}.</source>
        <translation>다른 인코딩은 {0}(으)로 지정합니다.</translation>
    </message>
    <message>
        <source>Answers, one a line, the right one first</source>
        <translation>보기(한 줄에 하나씩, 정답을 첫 줄에)</translation>
    </message>
    <message>
        <source>Ask for the checkpoint that it was exported from.</source>
        <translation>이것을 내보낸 원래 체크포인트를 구하세요.</translation>
    </message>
    <message>
        <source>Attention flow</source>
        <translation>어텐션 플로</translation>
    </message>
    <message>
        <source>Attention flow needs SciPy, which is not installed.</source>
        <translation>어텐션 플로에는 SciPy가 필요한데, 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>Attention from one text to another is compared between the same tokens only.</source>
        <translation>한 글에서 다른 글로 가는 어텐션은 같은 토큰 사이에서만 비교합니다.</translation>
    </message>
    <message>
        <source>Attention rollout</source>
        <translation>어텐션 롤아웃</translation>
    </message>
    <message>
        <source>Attention weights alone have no “{0}”.</source>
        <translation>어텐션 가중치만으로는 ‘{0}’을(를) 그릴 수 없습니다.</translation>
    </message>
    <message>
        <source>By how much an outcome changes on average from the first text of a row to the second.</source>
        <translation>행의 첫 글에서 둘째 글로 갈 때 결과가 평균 얼마나 달라지는지.</translation>
    </message>
    <message>
        <source>By how much an outcome changes on average when a word is exchanged for its counterpart.</source>
        <translation>단어를 짝이 되는 단어로 바꾸면 결과가 평균 얼마나 달라지는지.</translation>
    </message>
    <message>
        <source>By how much the chosen outcome falls when a token is replaced by the mask token.</source>
        <translation>토큰 하나를 마스크 토큰으로 바꾸면 선택한 결과가 얼마나 줄어드는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Call {0}.</source>
        <translation>이렇게 호출하세요: {0}.</translation>
    </message>
    <message>
        <source>Chance is this text with the keys in random order: it says nothing of other texts, and a small p-value not that the weight is large.</source>
        <translation>여기서 우연이란 이 글의 키를 무작위 순서로 놓은 것입니다. 다른 글에 대해서는 알려 주지 않고, p-값이 작다고 가중치가 큰 것도 아닙니다.</translation>
    </message>
    <message>
        <source>Change one word only.</source>
        <translation>단어 하나만 바꿔 보세요.</translation>
    </message>
    <message>
        <source>Check the column of the labels, or open the checkpoint that was trained on them.</source>
        <translation>레이블 열이 맞는지 확인하거나, 그 레이블로 학습한 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Check the name, or give texts alone.</source>
        <translation>이름을 확인하거나, 글만 주세요.</translation>
    </message>
    <message>
        <source>Check the name; texts themselves are given as a list: {0}.</source>
        <translation>이름을 확인하세요. 글 자체는 리스트로 줍니다: {0}.</translation>
    </message>
    <message>
        <source>Checkpoints are a folder, or a list of them.</source>
        <translation>체크포인트는 폴더 하나이거나 그 목록입니다.</translation>
    </message>
    <message>
        <source>Choose a column with at most {0} labels.</source>
        <translation>레이블이 {0}가지 이하인 열을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a folder with two or more of them.</source>
        <translation>둘 이상 들어 있는 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Choose a pair that has a weight.</source>
        <translation>가중치가 있는 쌍을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a text file of your own in a folder that can be written to.</source>
        <translation>쓰기가 가능한 폴더에 있는 텍스트 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a token nearby.</source>
        <translation>가까이 있는 토큰을 고르세요.</translation>
    </message>
    <message>
        <source>Choose an .npz file that the study “tuned-lens” wrote.</source>
        <translation>“tuned-lens” 연구가 저장한 .npz 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>Choose an answer</source>
        <translation>보기에서 고르기</translation>
    </message>
    <message>
        <source>Choose an attribution by gradients.</source>
        <translation>기울기를 쓰는 방법을 고르세요.</translation>
    </message>
    <message>
        <source>Choose another folder, or encode the text again.</source>
        <translation>다른 폴더를 고르거나 문장을 다시 인코딩하세요.</translation>
    </message>
    <message>
        <source>Choose another folder, or make room on the disk.</source>
        <translation>다른 폴더를 고르거나 디스크 공간을 확보하세요.</translation>
    </message>
    <message>
        <source>Choose another matrix.</source>
        <translation>다른 행렬을 고르세요.</translation>
    </message>
    <message>
        <source>Choose another outcome, such as “{0}”, or open a checkpoint with a task head.</source>
        <translation>‘{0}’ 같은 다른 결과를 고르거나, 과제 헤드가 있는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Choose another outcome.</source>
        <translation>다른 결과를 고르세요.</translation>
    </message>
    <message>
        <source>Choose another pair.</source>
        <translation>다른 쌍을 고르세요.</translation>
    </message>
    <message>
        <source>Choose integrated gradients or occlusion.</source>
        <translation>적분 기울기나 가리기를 고르세요.</translation>
    </message>
    <message>
        <source>Choose one such as the weights of the queries.</source>
        <translation>쿼리의 가중치와 같은 행렬을 고르세요.</translation>
    </message>
    <message>
        <source>Choose one that was made here or by “bertviz-app corpus”.</source>
        <translation>이 화면이나 “bertviz-app corpus” 명령으로 만든 표를 고르세요.</translation>
    </message>
    <message>
        <source>Choose run A or run B.</source>
        <translation>실행 A나 실행 B를 고르세요.</translation>
    </message>
    <message>
        <source>Choose saliency, or gradient times input.</source>
        <translation>현저성이나 기울기 × 입력을 고르세요.</translation>
    </message>
    <message>
        <source>Choose the checkpoints of one training.</source>
        <translation>한 학습의 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Choose the folder of a training.</source>
        <translation>학습 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Choose {0}.</source>
        <translation>{0}: 이 값을 고르세요.</translation>
    </message>
    <message>
        <source>Circuits of heads</source>
        <translation>헤드의 회로</translation>
    </message>
    <message>
        <source>Click a token</source>
        <translation>토큰 누르기</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>색</translation>
    </message>
    <message>
        <source>Composition of heads</source>
        <translation>헤드의 합성</translation>
    </message>
    <message>
        <source>Compute in float32, as is done unless another dtype is chosen.</source>
        <translation>float32로 계산하세요. 다른 dtype을 고르지 않으면 float32가 쓰입니다.</translation>
    </message>
    <message>
        <source>Convert it with transformers 4: {0}.</source>
        <translation>transformers 4로 변환하세요: {0}.</translation>
    </message>
    <message>
        <source>Correct what is named there.</source>
        <translation>거기 적힌 것을 고치세요.</translation>
    </message>
    <message>
        <source>Count texts with these words by themselves, too</source>
        <translation>이 단어가 있는 글을 따로도 세기</translation>
    </message>
    <message>
        <source>Count the weight of a word on itself</source>
        <translation>단어가 자기 자신에 두는 가중치도 세기</translation>
    </message>
    <message>
        <source>DecompX</source>
        <translation>DecompX 분해</translation>
    </message>
    <message>
        <source>Delete what stands above the names of the columns.</source>
        <translation>열 이름보다 위에 있는 것을 지우세요.</translation>
    </message>
    <message>
        <source>Difference of two runs</source>
        <translation>두 실행의 차이</translation>
    </message>
    <message>
        <source>Direct contributions to a logit</source>
        <translation>로짓에 대한 직접 기여</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>거리</translation>
    </message>
    <message>
        <source>Distances between heads</source>
        <translation>헤드 사이의 거리</translation>
    </message>
    <message>
        <source>Divergence from the model</source>
        <translation>모델과의 발산</translation>
    </message>
    <message>
        <source>Divide by the norm of each layer</source>
        <translation>레이어의 노름으로 나누기</translation>
    </message>
    <message>
        <source>Do something in the window</source>
        <translation>창에서 무언가 하기</translation>
    </message>
    <message>
        <source>Draw an analysis of them: model.analyse(…).figure().</source>
        <translation>그 분석을 그리세요: model.analyse(…).figure().</translation>
    </message>
    <message>
        <source>Draw the panel over the image</source>
        <translation>패널을 이미지 위에 그리기</translation>
    </message>
    <message>
        <source>Drop another token, or put the state elsewhere.</source>
        <translation>다른 토큰을 빼거나, 상태를 다른 곳에 넣으세요.</translation>
    </message>
    <message>
        <source>Drop another token, or set another weight.</source>
        <translation>다른 토큰을 빼거나 다른 가중치를 정하세요.</translation>
    </message>
    <message>
        <source>Each attention weight times the length of the vector that it scales.</source>
        <translation>각 어텐션 가중치에 그 가중치가 곱해지는 벡터의 길이를 곱한 값입니다.</translation>
    </message>
    <message>
        <source>Each dimension of the query times that of the key, scaled. Together {0}.</source>
        <translation>쿼리와 키를 차원마다 곱해 스케일링한 값입니다. 합 {0}.</translation>
    </message>
    <message>
        <source>Each head made to attend to all tokens alike</source>
        <translation>헤드마다 모든 토큰을 고르게 보게 함</translation>
    </message>
    <message>
        <source>Each head measure, what it would be with equal weights and with the words in random order, and its bound.</source>
        <translation>각 헤드 측정값, 가중치가 모두 같을 때와 단어를 무작위로 섞었을 때의 값, 그리고 한계.</translation>
    </message>
    <message>
        <source>Each head&apos;s output replaced by its mean over the tokens</source>
        <translation>헤드마다 출력을 토큰 평균으로 바꿈</translation>
    </message>
    <message>
        <source>Each head&apos;s output replaced by zeros</source>
        <translation>헤드마다 출력을 0으로 바꿈</translation>
    </message>
    <message>
        <source>Each text counts once, whatever its length; a name says what most of its attention does.</source>
        <translation>글은 길이와 관계없이 하나씩 셉니다. 이름은 어텐션의 대부분이 무엇을 하는지를 말합니다.</translation>
    </message>
    <message>
        <source>Each token&apos;s embedding times the gradient of the chosen outcome.</source>
        <translation>각 토큰의 임베딩과 선택한 결과의 기울기를 곱한 값입니다.</translation>
    </message>
    <message>
        <source>Encode it in float32.</source>
        <translation>float32로 인코딩하세요.</translation>
    </message>
    <message>
        <source>End the name in {0} or {1}.</source>
        <translation>이름 끝을 {0} 또는 {1} 중 하나로 하세요.</translation>
    </message>
    <message>
        <source>End the name in {0}, or name a folder without an ending.</source>
        <translation>이름을 {0} 중 하나로 끝내거나, 확장자가 없는 폴더 이름을 지정하세요.</translation>
    </message>
    <message>
        <source>End the name in {0}.</source>
        <translation>이름을 {0}(으)로 끝내세요.</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>엔트로피</translation>
    </message>
    <message>
        <source>Every array that a layer computes on its way from its input to its output.</source>
        <translation>레이어가 입력에서 출력까지 계산하는 모든 배열입니다.</translation>
    </message>
    <message>
        <source>Every text is read with the embedding of task 0.</source>
        <translation>모든 글을 과제 0의 임베딩으로 읽습니다.</translation>
    </message>
    <message>
        <source>Every token of the text is dropped.</source>
        <translation>글의 모든 토큰을 뺐습니다.</translation>
    </message>
    <message>
        <source>Examples of each head</source>
        <translation>헤드마다 예문</translation>
    </message>
    <message>
        <source>Expansion rate</source>
        <translation>확장률</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>설명</translation>
    </message>
    <message>
        <source>False discovery rate</source>
        <translation>거짓 발견율</translation>
    </message>
    <message>
        <source>Feed-forward parts on the way</source>
        <translation>경로의 피드포워드</translation>
    </message>
    <message>
        <source>Fetch the file itself: by its “raw” link, or with git lfs pull.</source>
        <translation>파일 자체를 받으세요. “raw” 링크로 받거나 git lfs pull을 쓰세요.</translation>
    </message>
    <message>
        <source>Fetch the folder again; it comes with the checkpoint.</source>
        <translation>폴더를 다시 받으세요. 체크포인트에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Fetch {0} again; it comes with the adapter.</source>
        <translation>{0} 파일을 다시 받으세요. 어댑터와 함께 배포됩니다.</translation>
    </message>
    <message>
        <source>Fewest words of a relation</source>
        <translation>관계마다 필요한 최소 단어 수</translation>
    </message>
    <message>
        <source>Find a head</source>
        <translation>헤드 찾기</translation>
    </message>
    <message>
        <source>Find the strongest of all pairs</source>
        <translation>모든 쌍 가운데 가장 강한 것 찾기</translation>
    </message>
    <message>
        <source>Flax&apos;s</source>
        <translation>Flax 형식</translation>
    </message>
    <message>
        <source>For each relation of parsed sentences, how often each head finds the word at its other end, beside the best fixed offset.</source>
        <translation>구문 분석된 문장의 관계마다 각 헤드가 반대쪽 단어를 찾는 비율과, 가장 나은 고정 거리를 함께 보여 줍니다.</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>찾은 비율</translation>
    </message>
    <message>
        <source>Free some space, then resume: the training is as last saved.</source>
        <translation>공간을 비운 뒤 이어서 하세요. 학습은 마지막으로 저장된 상태 그대로입니다.</translation>
    </message>
    <message>
        <source>From layer to layer</source>
        <translation>레이어에서 레이어로</translation>
    </message>
    <message>
        <source>From one sentence to the other</source>
        <translation>한 문장에서 다른 문장으로</translation>
    </message>
    <message>
        <source>Give 1 or more.</source>
        <translation>1 이상을 지정하세요.</translation>
    </message>
    <message>
        <source>Give 7, or “it”.</source>
        <translation>7 또는 “it”처럼 지정하세요.</translation>
    </message>
    <message>
        <source>Give [h, w, 3]: {0} puts the colours last.</source>
        <translation>[h, w, 3]으로 주세요. {0}이면 색이 마지막 축이 됩니다.</translation>
    </message>
    <message>
        <source>Give a PNG or a JPEG file.</source>
        <translation>PNG나 JPEG 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file of Universal Dependencies, or one written like it.</source>
        <translation>유니버설 의존 구문(UD) 파일이나 같은 형식의 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file of rows with a text and its counterpart each.</source>
        <translation>행마다 글과 그 짝이 되는 글이 있는 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with a sentence a line.</source>
        <translation>한 줄에 문장 하나가 있는 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with more labelled sentences.</source>
        <translation>레이블이 있는 문장이 더 많은 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with parsed sentences (CoNLL-U).</source>
        <translation>구문 분석된 문장 파일(CoNLL-U)을 주세요.</translation>
    </message>
    <message>
        <source>Give a number above 0, such as 1.</source>
        <translation>0보다 큰 수를 지정하세요. 예: 1.</translation>
    </message>
    <message>
        <source>Give a number from 0, such as 0.01.</source>
        <translation>0 이상의 수를 지정하세요. 예: 0.01.</translation>
    </message>
    <message>
        <source>Give a reference text.</source>
        <translation>기준 글을 지정하세요.</translation>
    </message>
    <message>
        <source>Give a slice or a list of positions, such as {0}=[0, 3] or {0}=slice(0, 4).</source>
        <translation>{0}=[0, 3]이나 {0}=slice(0, 4)처럼 슬라이스나 위치 목록을 지정하세요.</translation>
    </message>
    <message>
        <source>Give an NPZ file that a study of probes wrote.</source>
        <translation>프로브 연구가 쓴 NPZ 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give an array [h, w, 3] of 0 to 255 or of 0 to 1, a file, or an image of Pillow.</source>
        <translation>0~255나 0~1인 배열 [h, w, 3], 파일, Pillow 이미지 가운데 하나를 주세요.</translation>
    </message>
    <message>
        <source>Give an integer from 0, such as {0}=3.</source>
        <translation>{0}=3처럼 0부터 시작하는 정수를 지정하세요.</translation>
    </message>
    <message>
        <source>Give another column, or write labels as {0}, spans as {1}.</source>
        <translation>다른 열을 주거나, 레이블은 {0}처럼, 구간은 {1}처럼 쓰세요.</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>다른 이름을 붙이세요.</translation>
    </message>
    <message>
        <source>Give it as it was before it was normalised: 0 to 255, or 0 to 1.</source>
        <translation>정규화하기 전의 값을 주세요. 0~255이거나 0~1이어야 합니다.</translation>
    </message>
    <message>
        <source>Give it as {0}, or {1} for a label for each word. The first row: {2}</source>
        <translation>{0}(으)로 정하고, 단어마다 레이블이 있으면 {1}을(를) 붙이세요. 첫 행: {2}</translation>
    </message>
    <message>
        <source>Give it: lesson check FILE.</source>
        <translation>이렇게 쓰세요: lesson check FILE.</translation>
    </message>
    <message>
        <source>Give lines of a word, a tab and its label, with a blank line between sentences (CoNLL), KLUE-NER, or JSON with spans such as {0}.</source>
        <translation>한 줄에 단어, 탭, 레이블을 쓰고 문장 사이에 빈 줄을 둔 파일(CoNLL)이나 KLUE-NER, 또는 {0} 같은 구간이 있는 JSON을 주세요.</translation>
    </message>
    <message>
        <source>Give one name for each class, in their order.</source>
        <translation>클래스마다 이름을 하나씩, 순서대로 지정하세요.</translation>
    </message>
    <message>
        <source>Give one of the positions, or “{0}#2” for the second.</source>
        <translation>위치 하나를 쓰거나, 두 번째라면 “{0}#2”로 쓰세요.</translation>
    </message>
    <message>
        <source>Give one of them.</source>
        <translation>둘 가운데 하나만 지정하세요.</translation>
    </message>
    <message>
        <source>Give p-values.</source>
        <translation>p-값을 주세요.</translation>
    </message>
    <message>
        <source>Give rows with a mention and its antecedent.</source>
        <translation>언급과 선행사가 있는 행을 주세요.</translation>
    </message>
    <message>
        <source>Give shorter texts, or choose a smaller checkpoint.</source>
        <translation>더 짧은 글을 주거나 더 작은 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>Give smaller ones.</source>
        <translation>더 작은 값을 지정하세요.</translation>
    </message>
    <message>
        <source>Give that checkpoint, as --base FOLDER, or --base org/name to download it from the hub.</source>
        <translation>그 체크포인트를 --base 폴더로 지정하거나, 허브에서 내려받으려면 --base org/name으로 지정하세요.</translation>
    </message>
    <message>
        <source>Give the image to from_arrays, with patches=(rows, columns).</source>
        <translation>from_arrays에 이미지와 patches=(행 수, 열 수)를 주세요.</translation>
    </message>
    <message>
        <source>Give the model that encoded the text: model=model.</source>
        <translation>텍스트를 인코딩한 모델을 주세요: model=model.</translation>
    </message>
    <message>
        <source>Give the piece to follow, too.</source>
        <translation>따라갈 조각도 지정하세요.</translation>
    </message>
    <message>
        <source>Give the position of one query.</source>
        <translation>쿼리 하나의 위치를 지정하세요.</translation>
    </message>
    <message>
        <source>Give the text whose state is put in.</source>
        <translation>상태를 가져올 글을 주세요.</translation>
    </message>
    <message>
        <source>Give two runs of the same two texts, from the same one.</source>
        <translation>같은 두 글의, 같은 방향 어텐션을 가진 두 실행을 주세요.</translation>
    </message>
    <message>
        <source>Give words that it has, one of a pair only.</source>
        <translation>글에 있는 단어를, 쌍마다 하나만 있게 주세요.</translation>
    </message>
    <message>
        <source>Give words that the texts have, one of a pair in a text.</source>
        <translation>글에 있는 단어를, 한 글에 쌍마다 하나만 있게 주세요.</translation>
    </message>
    <message>
        <source>Give {0} for classes, {1} for scores.</source>
        <translation>클래스면 {0}, 점수면 {1}을(를) 붙이세요.</translation>
    </message>
    <message>
        <source>Give {0} for several labels, {1} for one.</source>
        <translation>레이블 여러 개면 {0}, 하나면 {1}을(를) 붙이세요.</translation>
    </message>
    <message>
        <source>GlobEnc</source>
        <translation>GlobEnc 기여도</translation>
    </message>
    <message>
        <source>Gradient times input</source>
        <translation>기울기 × 입력</translation>
    </message>
    <message>
        <source>Gradients cannot be clipped to a norm of {0}.</source>
        <translation>기울기의 노름을 자르는 한계가 {0}일 수는 없습니다.</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Head ablation</source>
        <translation>헤드 제거</translation>
    </message>
    <message>
        <source>Head importance by gradients</source>
        <translation>기울기로 본 헤드 중요도</translation>
    </message>
    <message>
        <source>Head {0} of run {1} is left out: the other run has none.</source>
        <translation>실행 {1}의 헤드 {0}: 다른 실행에는 없어 뺐습니다.</translation>
    </message>
    <message>
        <source>Head {0} · {1} does not attend that far: a token of the weight is outside of its window.</source>
        <translation>{0} · {1} 헤드는 그렇게 멀리 보지 않습니다. 가중치의 토큰이 창 밖에 있습니다.</translation>
    </message>
    <message>
        <source>Head → dependent: by column or by row</source>
        <translation>지배소 → 의존어를 세는 방법</translation>
    </message>
    <message>
        <source>Heads and coreference</source>
        <translation>헤드와 상호 참조</translation>
    </message>
    <message>
        <source>Heads and dependency relations</source>
        <translation>헤드와 의존 관계</translation>
    </message>
    <message>
        <source>Heads and their weights</source>
        <translation>헤드와 가중치</translation>
    </message>
    <message>
        <source>Heads are tested against chance in texts of up to {0} tokens; this one has {1}.</source>
        <translation>우연과 견주는 검정은 토큰 {0}개까지의 글에서 합니다. 이 글에는 {1}개가 있습니다.</translation>
    </message>
    <message>
        <source>Heads behind a pair of tokens</source>
        <translation>토큰 쌍의 유사도를 만든 헤드</translation>
    </message>
    <message>
        <source>Heads beside chance</source>
        <translation>우연과 견준 헤드</translation>
    </message>
    <message>
        <source>Heads by what they do to an outcome</source>
        <translation>결과에 미치는 영향으로 본 헤드 순위</translation>
    </message>
    <message>
        <source>Heads of {0}</source>
        <translation>{0}의 헤드</translation>
    </message>
    <message>
        <source>Heads replaced or switched off</source>
        <translation>헤드를 바꾸거나 끄기</translation>
    </message>
    <message>
        <source>Heads {0} to {1} of run {2} are left out: the other run has none.</source>
        <translation>실행 {2}의 헤드 {0}–{1}: 다른 실행에는 없어 뺐습니다.</translation>
    </message>
    <message>
        <source>Heaviest pieces as key</source>
        <translation>키로서 가장 무거운 조각</translation>
    </message>
    <message>
        <source>Heaviest pieces as query</source>
        <translation>쿼리로서 가장 무거운 조각</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>힌트</translation>
    </message>
    <message>
        <source>Hold out fewer sentences, or choose another seed.</source>
        <translation>떼어 두는 문장을 줄이거나 다른 시드를 고르세요.</translation>
    </message>
    <message>
        <source>How alike methods of attribution rank the tokens, and what becomes of the outcome when tokens are masked in the order of each.</source>
        <translation>여러 기여도 방법이 토큰의 순위를 얼마나 비슷하게 매기는지, 각 순위대로 토큰을 가리면 결과가 어떻게 되는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>How different the attention of each two heads is on this text, and a map of the heads.</source>
        <translation>이 글에서 두 헤드의 어텐션이 서로 얼마나 다른지 보여 주고, 헤드의 지도를 그립니다.</translation>
    </message>
    <message>
        <source>How different the attention of each two heads is, the mean over all tokens of a file, and a map of the heads.</source>
        <translation>두 헤드의 어텐션이 서로 얼마나 다른지를 파일의 모든 토큰에 걸쳐 평균한 값과, 헤드들의 지도.</translation>
    </message>
    <message>
        <source>How differently each head attends in two runs: the Jensen-Shannon divergence in bits.</source>
        <translation>두 실행에서 각 헤드의 어텐션이 얼마나 다른지를 비트 단위의 옌센–섀넌 발산으로 나타냅니다.</translation>
    </message>
    <message>
        <source>How far a query looks: the distance |i − j| weighted by attention.</source>
        <translation>쿼리가 얼마나 멀리 보는지: 거리 |i − j|의 어텐션 가중 평균입니다.</translation>
    </message>
    <message>
        <source>How fast the chosen outcome changes when the output of a head is scaled.</source>
        <translation>헤드의 출력을 늘리거나 줄일 때 선택한 결과가 얼마나 빨리 변하는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>How fast the chosen outcome changes with each token&apos;s embedding: the length of the gradient.</source>
        <translation>각 토큰의 임베딩에 따라 선택한 결과가 얼마나 빨리 변하는지, 즉 기울기의 길이를 보여 줍니다.</translation>
    </message>
    <message>
        <source>How fast the loss or another outcome of each text changes when the output of a head is scaled, without its sign; the mean over a file is Michel et al.&apos;s importance.</source>
        <translation>헤드의 출력을 키우거나 줄일 때 글마다 손실이나 다른 결과가 얼마나 빨리 변하는지를 부호 없이 잽니다. 파일에 걸친 평균이 미셸 외의 중요도입니다.</translation>
    </message>
    <message>
        <source>How long the part of a token&apos;s vector is that came from each token, after the attention of a layer.</source>
        <translation>한 레이어의 어텐션을 거친 토큰 벡터에서 각 토큰이 준 부분의 길이입니다.</translation>
    </message>
    <message>
        <source>How much could flow from each input token to a token of a layer, if attention weights were the widths of pipes.</source>
        <translation>어텐션 가중치를 관의 굵기라고 할 때 각 입력 토큰에서 한 레이어의 토큰까지 흐를 수 있는 최대량입니다.</translation>
    </message>
    <message>
        <source>How much longer the value and output matrices of a layer make a vector on average: the same for every text.</source>
        <translation>한 레이어의 값 행렬과 출력 행렬이 벡터를 평균 몇 배로 늘리는지 보여 줍니다. 어떤 글에서나 같습니다.</translation>
    </message>
    <message>
        <source>How much of a token&apos;s vector came from each input token, through all parts of the layers.</source>
        <translation>레이어의 모든 부분을 거친 토큰 벡터에서 각 입력 토큰이 차지하는 몫입니다.</translation>
    </message>
    <message>
        <source>How much of each head&apos;s attention goes to the previous and the next token, itself, the first token, separators and punctuation; how widely it spreads, and how widely from the first token alone.</source>
        <translation>각 헤드의 어텐션이 앞 토큰과 뒤 토큰, 자기 자신, 첫 토큰, 구분 토큰, 문장 부호로 얼마나 가는지, 얼마나 넓게 퍼지는지, 첫 토큰에서만 보면 얼마나 넓게 퍼지는지.</translation>
    </message>
    <message>
        <source>How much of each head&apos;s attention stays in its sentence, crosses to the other, or goes to special tokens.</source>
        <translation>각 헤드의 어텐션이 같은 문장에 머무는 몫, 다른 문장으로 가는 몫, 특수 토큰으로 가는 몫.</translation>
    </message>
    <message>
        <source>How much of each input token reaches a token of a layer, by how far a vector would move without it.</source>
        <translation>각 입력 토큰이 한 레이어의 토큰에 얼마나 전해지는지를, 그 토큰이 없으면 벡터가 얼마나 움직이는지로 잰 값입니다.</translation>
    </message>
    <message>
        <source>How much of each input token reaches a token of a layer, by how far vectors turn when a token passes on nothing.</source>
        <translation>각 입력 토큰이 한 레이어의 토큰에 얼마나 전해지는지를, 그 토큰이 아무것도 건네지 않을 때 벡터의 방향이 얼마나 바뀌는지로 잰 값입니다.</translation>
    </message>
    <message>
        <source>How much of each input token reaches a token of a layer, by the lengths of vectors through both norms of each layer.</source>
        <translation>각 입력 토큰이 한 레이어의 토큰에 얼마나 전해지는지를, 레이어의 두 정규화를 거친 벡터의 길이로 잰 값입니다.</translation>
    </message>
    <message>
        <source>How much of each input token reaches a token of a layer, if attention and residual connections are followed down to the input.</source>
        <translation>어텐션과 잔차 연결을 입력까지 따라 내려갈 때 각 입력 토큰이 레이어의 토큰에 얼마나 전달되는지 나타냅니다.</translation>
    </message>
    <message>
        <source>How much the queries, keys and values of each head read of what each earlier head writes, beside random matrices.</source>
        <translation>각 헤드의 쿼리, 키, 값이 앞선 각 헤드가 쓴 것을 얼마나 읽는지를 무작위 행렬과 견주어 보여 줍니다.</translation>
    </message>
    <message>
        <source>How often a classifier is right, on which texts it is wrong, and how sure it was.</source>
        <translation>분류기가 얼마나 자주 맞고, 어떤 글에서 틀리며, 얼마나 확신했는지.</translation>
    </message>
    <message>
        <source>How often each head leads from a mention, such as a pronoun, to its antecedent, beside fixed rules.</source>
        <translation>각 헤드가 대명사 같은 언급에서 그 선행사로 이어지는 비율을, 고정된 규칙들과 함께 보여 줍니다.</translation>
    </message>
    <message>
        <source>How spread a query&apos;s weights are: 0 if it looks at one token only.</source>
        <translation>쿼리의 가중치가 퍼진 정도입니다. 토큰 하나만 보면 0입니다.</translation>
    </message>
    <message>
        <source>How the chosen outcome changes when a part of run B is put into run A, one part at a time.</source>
        <translation>실행 B의 한 부분을 실행 A에 바꿔 넣을 때 선택한 결과가 어떻게 변하는지 보여 줍니다. 한 번에 한 부분씩 바꿉니다.</translation>
    </message>
    <message>
        <source>How the chosen outcome changes when one head of run B acts on run A along one path alone: directly, or through what other heads read.</source>
        <translation>실행 B의 헤드 하나가 한 경로로만, 곧 바로 또는 다른 헤드가 읽는 것을 거쳐서 실행 A에 작용할 때 고른 결과가 어떻게 바뀌는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>How the chosen outcome changes when the output of a head is replaced, one head at a time.</source>
        <translation>헤드의 출력을 다른 것으로 바꿀 때 선택한 결과가 어떻게 변하는지 보여 줍니다. 한 번에 한 헤드씩 바꿉니다.</translation>
    </message>
    <message>
        <source>How the loss, the score or another outcome changes over a file when a head is replaced, one head at a time.</source>
        <translation>헤드를 하나씩 바꿔 넣을 때 파일에 걸쳐 손실이나 점수, 다른 결과가 어떻게 변하는지.</translation>
    </message>
    <message>
        <source>How the score and the loss over a file change as more and more heads are pruned, the least important first.</source>
        <translation>가장 덜 중요한 헤드부터 점점 더 없앨 때 파일의 점수와 손실이 어떻게 변하는지.</translation>
    </message>
    <message>
        <source>How well the labels of texts are read from the hidden states of each layer, beside shuffled labels.</source>
        <translation>각 레이어의 은닉 상태에서 글의 레이블을 얼마나 잘 읽는지를, 레이블을 섞었을 때와 함께 보여 줍니다.</translation>
    </message>
    <message>
        <source>How well the labels of words are read from the hidden states of each layer, beside a control task.</source>
        <translation>각 레이어의 은닉 상태에서 단어의 레이블을 얼마나 잘 읽는지를, 통제 과제와 함께 보여 줍니다.</translation>
    </message>
    <message>
        <source>How widely, how far and to which tokens each head attends over all texts of a file.</source>
        <translation>파일의 모든 글에서 각 헤드가 얼마나 넓게, 얼마나 멀리, 어떤 토큰을 보는지.</translation>
    </message>
    <message>
        <source>How widely, how far and to which tokens each head attends: a number for each measure.</source>
        <translation>각 헤드가 얼마나 넓게, 얼마나 멀리, 어떤 토큰을 보는지를 지표마다 수 하나로 나타냅니다.</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>이미지</translation>
    </message>
    <message>
        <source>In Steps g marks the queries, keys and values that global tokens have of their own.</source>
        <translation>단계에서 g는 전역 토큰이 따로 갖는 쿼리, 키, 값을 나타냅니다.</translation>
    </message>
    <message>
        <source>In deep models nearly every token gets the same; values, feed-forward parts and norms are left out.</source>
        <translation>깊은 모델에서는 거의 모든 토큰이 같은 값을 얻습니다. 값 벡터와 피드포워드, 정규화는 빠져 있습니다.</translation>
    </message>
    <message>
        <source>In layer 0 vectors are sums of embeddings. A bar is a part of the query with one of the key. Together {0}.</source>
        <translation>레이어 0의 벡터는 임베딩의 합입니다. 막대 하나는 쿼리의 한 부분과 키의 한 부분입니다. 합 {0}.</translation>
    </message>
    <message>
        <source>In this checkpoint queries and keys are made without a bottleneck, which is not supported.</source>
        <translation>이 체크포인트는 병목 없이 쿼리와 키를 만드는데, 그 계산은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>In this model a norm follows the token embeddings at once, which makes gradient times input 0 for every token.</source>
        <translation>이 모델은 토큰 임베딩 바로 뒤에 정규화가 오므로 기울기 × 입력이 모든 토큰에서 0이 됩니다.</translation>
    </message>
    <message>
        <source>In which share of the texts each head is heterogeneous, vertical, diagonal, both, or of blocks; and the shares of attention by which the rule decides.</source>
        <translation>각 헤드가 불규칙, 세로, 대각선, 둘 다, 블록인 글의 몫과, 그것을 가르는 어텐션의 몫.</translation>
    </message>
    <message>
        <source>Install it with: {0} (CSV and NPZ need nothing more).</source>
        <translation>설치 명령: {0} (CSV와 NPZ에는 필요 없습니다).</translation>
    </message>
    <message>
        <source>Install it with: {0}.</source>
        <translation>설치 명령: {0}.</translation>
    </message>
    <message>
        <source>Install it, on Debian and Ubuntu: {0}.</source>
        <translation>설치하세요. 데비안과 우분투에서는: {0}.</translation>
    </message>
    <message>
        <source>Integrated gradients</source>
        <translation>적분 기울기</translation>
    </message>
    <message>
        <source>Interventions are a list of them.</source>
        <translation>개입은 목록으로 주어야 합니다.</translation>
    </message>
    <message>
        <source>It averages over all directions, also those that no token&apos;s vector has.</source>
        <translation>모든 방향에 대한 평균이므로, 어떤 토큰의 벡터도 향하지 않는 방향까지 들어갑니다.</translation>
    </message>
    <message>
        <source>It can be: {0}.</source>
        <translation>가능한 값: {0}.</translation>
    </message>
    <message>
        <source>It cannot be merged into weights. Open the checkpoint that it was trained on, without it.</source>
        <translation>가중치에 합칠 수 없습니다. 이것을 빼고, 학습의 바탕이 된 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>It compares lengths of vectors; biases and the feed-forward part are left out.</source>
        <translation>벡터의 길이를 비교합니다. 편향과 피드포워드는 빠져 있습니다.</translation>
    </message>
    <message>
        <source>It compares where heads attend, not what they do there; what one run lacks counts as one token.</source>
        <translation>헤드가 어디를 보는지를 비교할 뿐 무엇을 하는지는 비교하지 않습니다. 한쪽에 없는 토큰들은 한 토큰으로 칩니다.</translation>
    </message>
    <message>
        <source>It covers one layer&apos;s attention; residual connection, norm and feed-forward are left out.</source>
        <translation>레이어 하나의 어텐션만 봅니다. 잔차 연결, 정규화, 피드포워드는 빠집니다.</translation>
    </message>
    <message>
        <source>It depends on the text: heads that differ elsewhere may look alike here.</source>
        <translation>글에 따라 달라집니다. 다른 글에서는 다른 헤드가 여기서는 비슷해 보일 수 있습니다.</translation>
    </message>
    <message>
        <source>It has a head for: {0}.</source>
        <translation>이 모델에 있는 과제 헤드: {0}.</translation>
    </message>
    <message>
        <source>It has no sign, and says what a small change does, not what the token itself did.</source>
        <translation>부호가 없고, 작은 변화의 효과를 말할 뿐 토큰 자체가 한 일을 말하지는 않습니다.</translation>
    </message>
    <message>
        <source>It has no task head at all.</source>
        <translation>이 모델에는 과제 헤드가 없습니다.</translation>
    </message>
    <message>
        <source>It has {0}.</source>
        <translation>있는 것: {0}.</translation>
    </message>
    <message>
        <source>It is an estimate, with a standard error; masked texts are unlike those of the training.</source>
        <translation>표준 오차가 있는 추정값입니다. 토큰을 가린 글은 학습한 글과 다릅니다.</translation>
    </message>
    <message>
        <source>It is defined for layers whose norms follow the sums; here they precede the parts.</source>
        <translation>정규화가 덧셈 뒤에 오는 레이어에 정의된 방법인데, 이 모델에서는 정규화가 앞에 옵니다.</translation>
    </message>
    <message>
        <source>It is exact for a linear model only: here it often disagrees with occlusion.</source>
        <translation>선형 모델에서만 정확합니다. 여기서는 가리기 결과와 자주 다릅니다.</translation>
    </message>
    <message>
        <source>It is the number of a {0}, from 0.</source>
        <translation>{0} 번호를 0부터 세어 씁니다.</translation>
    </message>
    <message>
        <source>It is the numbers of {0}s, from 0, with commas between them.</source>
        <translation>0부터 세는 {0} 번호들을 쉼표로 나누어 씁니다.</translation>
    </message>
    <message>
        <source>It is used by the layers {0}.</source>
        <translation>이 행렬을 쓰는 레이어: {0}.</translation>
    </message>
    <message>
        <source>It says what a small change does; removing the head may do something else.</source>
        <translation>작은 변화의 효과를 말합니다. 헤드를 없애면 결과가 다를 수 있습니다.</translation>
    </message>
    <message>
        <source>It shows what is computed, not what it contributes to a prediction.</source>
        <translation>무엇이 계산되는지를 보여 줄 뿐 예측에 얼마나 기여하는지는 보여 주지 않습니다.</translation>
    </message>
    <message>
        <source>It takes attention weights for flow: values, feed-forward parts and norms are left out.</source>
        <translation>어텐션 가중치를 정보의 흐름으로 봅니다. 값 벡터, 피드포워드, 정규화는 빠집니다.</translation>
    </message>
    <message>
        <source>It tests the program&apos;s arithmetic, not whether the checkpoint is a good model.</source>
        <translation>프로그램의 계산을 검사할 뿐, 체크포인트가 좋은 모델인지는 검사하지 않습니다.</translation>
    </message>
    <message>
        <source>Its classifier is taken to read the pooled vector; --classifier-reads says otherwise.</source>
        <translation>분류기가 풀링 벡터를 읽는 것으로 봅니다. 다르면 --classifier-reads로 알려 주세요.</translation>
    </message>
    <message>
        <source>Its code comes with the checkpoint, and is not run.</source>
        <translation>그 코드는 체크포인트에 들어 있으며 실행하지 않습니다.</translation>
    </message>
    <message>
        <source>Its shape is {0}.</source>
        <translation>모양은 {0}입니다.</translation>
    </message>
    <message>
        <source>Join subtypes: nsubj:pass is nsubj</source>
        <translation>하위 유형 합치기: nsubj:pass를 nsubj로</translation>
    </message>
    <message>
        <source>Keep at least one.</source>
        <translation>적어도 하나는 남기세요.</translation>
    </message>
    <message>
        <source>Known are names of modules, “.*” and “\d+” in them.</source>
        <translation>모듈 이름과 그 안의 “.*”, “\d+”만 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>Labels of the best state</source>
        <translation>가장 좋은 은닉 상태의 레이블</translation>
    </message>
    <message>
        <source>Largest difference, as a share of the limit of rounding</source>
        <translation>가장 큰 차이, 반올림 한계에 대한 몫</translation>
    </message>
    <message>
        <source>Largest weight</source>
        <translation>최대 가중치</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>Layer {0} does not use {1}.</source>
        <translation>레이어 {0}에서는 다음 행렬을 쓰지 않습니다: {1}.</translation>
    </message>
    <message>
        <source>Layer {0} of run {1} is left out: the other run has none.</source>
        <translation>실행 {1}의 레이어 {0}: 다른 실행에는 없어 뺐습니다.</translation>
    </message>
    <message>
        <source>Layer {0}, head {1}</source>
        <translation>레이어 {0}, 헤드 {1}</translation>
    </message>
    <message>
        <source>Layer; empty: the last</source>
        <translation>레이어(비우면 마지막)</translation>
    </message>
    <message>
        <source>Layers of the sentence vector</source>
        <translation>문장 벡터에 쓰는 레이어</translation>
    </message>
    <message>
        <source>Layers {0} to {1} of run {2} are left out: the other run has none.</source>
        <translation>실행 {2}의 레이어 {0}–{1}: 다른 실행에는 없어 뺐습니다.</translation>
    </message>
    <message>
        <source>Leave at least one weight of the row as it is.</source>
        <translation>행의 가중치를 적어도 하나는 그대로 두세요.</translation>
    </message>
    <message>
        <source>Leave it out, or draw that view.</source>
        <translation>그것을 빼거나 그 보기를 그리세요.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>그것을 빼세요.</translation>
    </message>
    <message>
        <source>Leave out special tokens</source>
        <translation>특수 토큰 빼기</translation>
    </message>
    <message>
        <source>Leave out texts that lack a number.</source>
        <translation>수가 없는 글은 빼세요.</translation>
    </message>
    <message>
        <source>Leave out {0}.</source>
        <translation>{0} 항목을 빼세요.</translation>
    </message>
    <message>
        <source>Leave sentence 2 empty.</source>
        <translation>문장 2를 비워 두세요.</translation>
    </message>
    <message>
        <source>Lengths do not say whether parts point the same way or cancel; the feed-forward part is left out.</source>
        <translation>길이만으로는 부분들이 같은 방향인지 서로 지우는지 알 수 없습니다. 피드포워드는 빠져 있습니다.</translation>
    </message>
    <message>
        <source>Lengths of opposite vectors do not cancel; the feed-forward part is left out.</source>
        <translation>방향이 반대인 벡터도 길이는 서로 지워지지 않습니다. 피드포워드는 빠져 있습니다.</translation>
    </message>
    <message>
        <source>Less that of this piece or class; empty: none</source>
        <translation>뺄 조각 또는 클래스 (비우면 빼지 않음)</translation>
    </message>
    <message>
        <source>Less that of this piece; empty: none</source>
        <translation>뺄 조각 (비우면 빼지 않음)</translation>
    </message>
    <message>
        <source>Likeliest pieces</source>
        <translation>확률이 가장 높은 조각</translation>
    </message>
    <message>
        <source>Line {0} ends the sentence before all its words are there.</source>
        <translation>{0}번째 줄: 단어가 다 나오기 전에 문장이 끝납니다.</translation>
    </message>
    <message>
        <source>Line {0} has no relation.</source>
        <translation>{0}번째 줄에 관계가 없습니다.</translation>
    </message>
    <message>
        <source>Line {0} has the number {1} instead of {2}.</source>
        <translation>{0}번째 줄의 번호가 {2}이(가) 아니라 {1}입니다.</translation>
    </message>
    <message>
        <source>Line {0} has {1} antecedents; one is needed, as [Mary] in the text or in a column.</source>
        <translation>{0}번째 줄에 선행사가 {1}개입니다. 글에 [민수]처럼, 또는 열에 하나만 적어야 합니다.</translation>
    </message>
    <message>
        <source>Line {0} has {1} mentions; one is needed, as &lt;she&gt; in the text or in a column.</source>
        <translation>{0}번째 줄에 언급이 {1}개입니다. 글에 &lt;그&gt;처럼, 또는 열에 하나만 적어야 합니다.</translation>
    </message>
    <message>
        <source>Line {0} has {1} words and {2} labels.</source>
        <translation>{0}번째 줄에는 단어가 {1}개, 레이블이 {2}개 있습니다.</translation>
    </message>
    <message>
        <source>Line {0} has “{1}” where the text of the sentence has “{2}”.</source>
        <translation>{0}번째 줄은 ‘{1}’인데 문장의 글에는 ‘{2}’이(가) 있습니다.</translation>
    </message>
    <message>
        <source>Line {0}: a bracket is not closed by “{1}”.</source>
        <translation>{0}번째 줄: 괄호가 ‘{1}’(으)로 닫히지 않았습니다.</translation>
    </message>
    <message>
        <source>Line {0}: a second root.</source>
        <translation>{0}번째 줄: 뿌리가 둘입니다.</translation>
    </message>
    <message>
        <source>Line {0}: its head cannot be “{1}”.</source>
        <translation>{0}번째 줄: 지배소가 ‘{1}’일 수 없습니다.</translation>
    </message>
    <message>
        <source>Line {0}: its heads lead in a circle, not to the root.</source>
        <translation>{0}번째 줄: 지배소를 따라가면 뿌리에 닿지 않고 제자리를 돕니다.</translation>
    </message>
    <message>
        <source>Line {0}: no word of the sentence is “{1}”.</source>
        <translation>{0}번째 줄: ‘{1}’에 해당하는 단어가 문장에 없습니다.</translation>
    </message>
    <message>
        <source>Line {0}: no word of the text is at {1}.</source>
        <translation>{0}번째 줄: 글의 {1} 자리에 단어가 없습니다.</translation>
    </message>
    <message>
        <source>Line {0}: not one of A and B is what the pronoun refers to.</source>
        <translation>{0}번째 줄: 대명사가 가리키는 것이 A와 B 가운데 하나가 아닙니다.</translation>
    </message>
    <message>
        <source>Line {0}: the mention and its antecedent overlap.</source>
        <translation>{0}번째 줄: 언급과 선행사가 겹칩니다.</translation>
    </message>
    <message>
        <source>Line {0}: the range {1} is not of the words after it.</source>
        <translation>{0}번째 줄: 범위 {1}이(가) 바로 뒤의 단어들과 맞지 않습니다.</translation>
    </message>
    <message>
        <source>Line {0}: the sentence has no root.</source>
        <translation>{0}번째 줄: 문장에 뿌리가 없습니다.</translation>
    </message>
    <message>
        <source>Line {0}: the span {1} overlaps another; a token has one label.</source>
        <translation>{0}번째 줄: 구간 {1}이(가) 다른 구간과 겹칩니다. 토큰의 레이블은 하나입니다.</translation>
    </message>
    <message>
        <source>Line {0}: “{1}” does not begin at character {2}.</source>
        <translation>{0}번째 줄: ‘{1}’이(가) {2}번째 글자에서 시작하지 않습니다.</translation>
    </message>
    <message>
        <source>Line {0}: “{1}” in column “{2}” is no span such as 3:7.</source>
        <translation>{0}번째 줄: ‘{2}’ 열의 ‘{1}’은(는) 3:7 같은 구간이 아닙니다.</translation>
    </message>
    <message>
        <source>Logit by kind of part</source>
        <translation>부분의 종류별 로짓</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>로짓 렌즈</translation>
    </message>
    <message>
        <source>Logit of “{0}” less that of “{1}”</source>
        <translation>“{0}”의 로짓 − “{1}”의 로짓</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>로짓</translation>
    </message>
    <message>
        <source>Logits of one task head can be compared with each other, not with those of another.</source>
        <translation>한 과제 헤드의 로짓끼리는 비교할 수 있지만 다른 과제 헤드의 로짓과는 비교할 수 없습니다.</translation>
    </message>
    <message>
        <source>Longer texts are cut with {0}.</source>
        <translation>{0}을(를) 붙이면 더 긴 글은 자릅니다.</translation>
    </message>
    <message>
        <source>Looks for: score by key</source>
        <translation>찾는 것: 키별 점수</translation>
    </message>
    <message>
        <source>MPNet&apos;s own code computes with {0} buckets.</source>
        <translation>MPNet 자체의 코드는 {0}개의 버킷으로 계산합니다.</translation>
    </message>
    <message>
        <source>Make room on the disk, or allow writing there.</source>
        <translation>디스크에 자리를 마련하거나 그곳에 쓸 수 있게 하세요.</translation>
    </message>
    <message>
        <source>Make the same in both.</source>
        <translation>두 실행에 같은 개입을 하세요.</translation>
    </message>
    <message>
        <source>Map of queries and keys</source>
        <translation>쿼리와 키의 지도</translation>
    </message>
    <message>
        <source>Mask one, or give the position of a token.</source>
        <translation>토큰 하나를 가리거나 토큰의 위치를 지정하세요.</translation>
    </message>
    <message>
        <source>Matrices without biases and positions. Where positions rotate queries and keys, QK is that of one position; copying and matching take later layers to read pieces as the first one does.</source>
        <translation>편향과 위치를 뺀 행렬입니다. 위치가 쿼리와 키를 회전시키는 모델에서는 같은 위치일 때의 QK입니다. ‘복사’와 ‘짝짓기’는 뒤쪽 레이어도 첫 레이어처럼 조각을 읽는다고 봅니다.</translation>
    </message>
    <message>
        <source>Means over queries: a long text has a larger part than a short one. The map is by classical scaling, not Kruskal&apos;s.</source>
        <translation>쿼리에 걸친 평균이므로 긴 글이 짧은 글보다 큰 몫을 차지합니다. 지도는 크루스칼의 방법이 아니라 고전적 척도법으로 그립니다.</translation>
    </message>
    <message>
        <source>Means over the queries of a sentence, then over texts; a text without a second sentence has no part in the numbers of two.</source>
        <translation>한 문장의 쿼리에 걸쳐, 그다음 글에 걸쳐 평균합니다. 둘째 문장이 없는 글은 두 문장의 수에 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>Means over the queries of a sentence: one word may do all of the crossing.</source>
        <translation>한 문장의 쿼리 평균입니다. 단어 하나가 문장을 넘는 어텐션을 모두 가질 수도 있습니다.</translation>
    </message>
    <message>
        <source>Means over the queries of a text, then over texts. Punctuation is what Unicode calls so, in tokens of nothing else.</source>
        <translation>글의 쿼리에 걸쳐, 그다음 글에 걸쳐 평균합니다. 문장 부호는 유니코드가 그렇게 분류한 글자로만 된 토큰입니다.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>지표</translation>
    </message>
    <message>
        <source>Measure a file with texts.</source>
        <translation>글이 들어 있는 파일을 측정하세요.</translation>
    </message>
    <message>
        <source>Measures beside null baselines</source>
        <translation>기준값과 함께 본 측정값</translation>
    </message>
    <message>
        <source>Measures of every head</source>
        <translation>모든 헤드의 지표</translation>
    </message>
    <message>
        <source>Measures of positions are left out: these weights go from one text to another.</source>
        <translation>한 글에서 다른 글로 가는 가중치이므로, 위치에 관한 측정값은 없습니다.</translation>
    </message>
    <message>
        <source>Merge it where it was trained: {0}.</source>
        <translation>학습한 곳에서 합치세요: {0}.</translation>
    </message>
    <message>
        <source>Merge these parts into the weights with the program that trained them.</source>
        <translation>이 부분을 학습시킨 프로그램으로 가중치에 합치세요.</translation>
    </message>
    <message>
        <source>Methods that agree may be wrong together; masked texts are unlike those of the training. A curve has few steps, whose names are how many tokens are masked, or shown; methods that cannot be used with the model, or with so long a text, are left out.</source>
        <translation>서로 일치하는 방법이 함께 틀릴 수도 있습니다. 토큰을 가린 글은 학습한 글과 다릅니다. 곡선의 단계는 몇 개뿐이고, 단계 이름은 가리거나 보인 토큰의 수입니다. 이 모델이나 이렇게 긴 글에 쓸 수 없는 방법은 제외됩니다.</translation>
    </message>
    <message>
        <source>Mixing ratio</source>
        <translation>혼합 비율</translation>
    </message>
    <message>
        <source>Muted heads are pairs of a layer and a head.</source>
        <translation>끄는 헤드는 레이어와 헤드의 쌍이어야 합니다.</translation>
    </message>
    <message>
        <source>Name a folder: it gets a table for each study.</source>
        <translation>폴더 이름을 주세요. 연구마다 표가 하나씩 들어갑니다.</translation>
    </message>
    <message>
        <source>Name one of them: {0}.</source>
        <translation>그중 하나의 이름을 쓰세요: {0}.</translation>
    </message>
    <message>
        <source>Name one or more.</source>
        <translation>하나 이상 지정하세요.</translation>
    </message>
    <message>
        <source>Name the column of the labels, or choose another outcome.</source>
        <translation>레이블 열을 지정하거나 다른 결과를 고르세요.</translation>
    </message>
    <message>
        <source>Name the column so; the columns: {0}</source>
        <translation>열의 이름을 그렇게 바꾸세요. 지금의 열: {0}</translation>
    </message>
    <message>
        <source>Name the second one, too.</source>
        <translation>두 번째 체크포인트도 지정하세요.</translation>
    </message>
    <message>
        <source>Next token</source>
        <translation>다음 토큰</translation>
    </message>
    <message>
        <source>No lens was trained for this checkpoint yet.</source>
        <translation>이 체크포인트로 학습한 렌즈가 아직 없습니다.</translation>
    </message>
    <message>
        <source>No lesson to check was given.</source>
        <translation>확인할 수업을 지정하지 않았습니다.</translation>
    </message>
    <message>
        <source>No row of this file has two texts.</source>
        <translation>이 파일에는 글이 둘인 행이 없습니다.</translation>
    </message>
    <message>
        <source>No text of the file has a token that is not a special one.</source>
        <translation>파일의 어떤 글에도 특수 토큰이 아닌 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>No text of this file has a label.</source>
        <translation>이 파일에는 레이블이 있는 글이 없습니다.</translation>
    </message>
    <message>
        <source>No token has global attention, as in transformers where none is given; its weights are not used.</source>
        <translation>어떤 토큰에도 전역 어텐션이 없습니다. transformers에서 지정하지 않았을 때와 같으며, 그 가중치는 쓰지 않습니다.</translation>
    </message>
    <message>
        <source>No token is masked: mask one, or give positions under Parameters</source>
        <translation>가린 토큰이 없습니다. 토큰을 하나 가리거나 ‘매개변수’에서 위치를 정하세요</translation>
    </message>
    <message>
        <source>No token of this text is masked.</source>
        <translation>이 글에는 가린 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>No word of the file has a head that can be told apart from it.</source>
        <translation>이 파일에는 지배소와 구별할 수 있는 단어가 없습니다.</translation>
    </message>
    <message>
        <source>None of the {0} texts of {1} can be measured: {2}.</source>
        <translation>{1}의 글 {0}개 가운데 잴 수 있는 것이 없습니다: {2}.</translation>
    </message>
    <message>
        <source>None of these words can be exchanged in any text: {0}.</source>
        <translation>어느 글에서도 이 단어들을 바꿀 수 없습니다: {0}.</translation>
    </message>
    <message>
        <source>None of these words can be exchanged in this text: {0}.</source>
        <translation>이 글에서는 이 단어들을 하나도 바꿀 수 없습니다: {0}.</translation>
    </message>
    <message>
        <source>None: the station is only read</source>
        <translation>없음: 읽기만 하는 장면</translation>
    </message>
    <message>
        <source>Norm-based attention</source>
        <translation>노름 기반 어텐션</translation>
    </message>
    <message>
        <source>Norm-based attention with residual connection and norm</source>
        <translation>잔차 연결과 정규화를 넣은 노름 기반 어텐션</translation>
    </message>
    <message>
        <source>Norms are taken as given: without one of the parts they would divide by something else.</source>
        <translation>정규화가 나누는 값은 그대로 둡니다. 한 부분이 빠지면 실제로는 다른 값으로 나누게 됩니다.</translation>
    </message>
    <message>
        <source>Norms on the way</source>
        <translation>경로의 정규화</translation>
    </message>
    <message>
        <source>Norms on the way are computed anew, so that paths do not add up exactly; a path that matters says nothing of those that were not tried.</source>
        <translation>경로에 있는 정규화는 새로 계산하므로 경로들의 합이 정확히 전체가 되지는 않습니다. 중요한 경로를 찾았다고 해서 시험하지 않은 경로를 알 수 있는 것은 아닙니다.</translation>
    </message>
    <message>
        <source>Notes are kept for a model, not for {0}.</source>
        <translation>메모는 모델에 대해 보관됩니다. {0}에 대해서는 아닙니다.</translation>
    </message>
    <message>
        <source>Notes for the teacher</source>
        <translation>교사용 메모</translation>
    </message>
    <message>
        <source>Nothing is computed in “{0}”.</source>
        <translation>“{0}” 형식으로는 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>Nothing of this text goes through {0}.</source>
        <translation>이 글에서는 다음 행렬을 지나는 값이 없습니다: {0}.</translation>
    </message>
    <message>
        <source>Number of orders</source>
        <translation>순서의 수</translation>
    </message>
    <message>
        <source>Number of pieces</source>
        <translation>조각 수</translation>
    </message>
    <message>
        <source>Numbers of each</source>
        <translation>수의 단위</translation>
    </message>
    <message>
        <source>OV and QK matrices of every head</source>
        <translation>모든 헤드의 OV 행렬과 QK 행렬</translation>
    </message>
    <message>
        <source>OV is what the head writes, QK what it pairs. Positive: the sum of the eigenvalues over that of their sizes: OV {0}, QK {1}. +1 is a head that copies, or looks for its like.</source>
        <translation>OV는 헤드가 쓰는 것, QK는 짝짓는 것입니다. 양의 몫은 고윳값의 합을 그 크기의 합으로 나눈 값입니다: OV {0}, QK {1}. +1은 읽은 것을 베끼거나 닮은 것을 찾는 헤드입니다.</translation>
    </message>
    <message>
        <source>Of every piece with every other one, whatever the text.</source>
        <translation>글과 상관없이 모든 조각을 서로 짝지은 것입니다.</translation>
    </message>
    <message>
        <source>Of interventions a station has replaced tokens and heads replaced by zeros, no others.</source>
        <translation>개입 가운데 바꾼 토큰과 0으로 바꾼 헤드만 장면에 들어갑니다.</translation>
    </message>
    <message>
        <source>Of “{0}” one is the end of a word and one a word.</source>
        <translation>“{0}” 가운데 하나는 단어의 끝이고 하나는 단어입니다.</translation>
    </message>
    <message>
        <source>One text shows that the model can react, not that it does so as a rule; words are exchanged as they are written, whether or not the new text is good grammar.</source>
        <translation>글 하나는 모델이 반응할 수 있음을 보일 뿐 늘 그렇다는 뜻은 아닙니다. 단어는 적힌 대로 바꾸므로 새 글이 문법에 맞지 않을 수 있습니다.</translation>
    </message>
    <message>
        <source>Only a figure of a trace takes “{0}”.</source>
        <translation>‘{0}’은(는) 트레이스의 그림에만 줄 수 있습니다.</translation>
    </message>
    <message>
        <source>Open a checkpoint with a classifier of texts.</source>
        <translation>글 분류기가 있는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a classifier of texts.</source>
        <translation>글 분류기를 여세요.</translation>
    </message>
    <message>
        <source>Open a classifier that was trained to choose one class.</source>
        <translation>클래스 하나를 고르도록 학습한 분류기를 여세요.</translation>
    </message>
    <message>
        <source>Open the checkpoint that it was trained on.</source>
        <translation>프로브를 학습한 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Order of pruning</source>
        <translation>없애는 순서</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Outcome to compare</source>
        <translation>견줄 결과</translation>
    </message>
    <message>
        <source>Parts of the calibration</source>
        <translation>보정을 나누는 구간의 수</translation>
    </message>
    <message>
        <source>Path patching</source>
        <translation>경로 바꿔 넣기</translation>
    </message>
    <message>
        <source>Piece that it is set against; empty: none</source>
        <translation>견줄 조각 (비우면 없음)</translation>
    </message>
    <message>
        <source>Piece; empty: those of the text</source>
        <translation>조각(비우면 글에 있는 조각)</translation>
    </message>
    <message>
        <source>Pieces in a list</source>
        <translation>목록의 조각 수</translation>
    </message>
    <message>
        <source>Pieces listed</source>
        <translation>나열할 조각 수</translation>
    </message>
    <message>
        <source>Position of the token it is compared with</source>
        <translation>견줄 토큰의 위치</translation>
    </message>
    <message>
        <source>Positions of predicted tokens</source>
        <translation>예측할 토큰들의 위치</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>확률</translation>
    </message>
    <message>
        <source>Probability of the last layer&apos;s piece</source>
        <translation>마지막 레이어의 조각의 확률</translation>
    </message>
    <message>
        <source>Probability of “{0}”</source>
        <translation>“{0}”의 확률</translation>
    </message>
    <message>
        <source>Probe of texts</source>
        <translation>글의 프로브</translation>
    </message>
    <message>
        <source>Probe of words</source>
        <translation>단어의 프로브</translation>
    </message>
    <message>
        <source>Pruning curve</source>
        <translation>가지치기 곡선</translation>
    </message>
    <message>
        <source>Put in order</source>
        <translation>순서대로 놓기</translation>
    </message>
    <message>
        <source>Remove sentence 2.</source>
        <translation>문장 2를 지우세요.</translation>
    </message>
    <message>
        <source>Right by slice</source>
        <translation>부분 집합별로 맞은 비율</translation>
    </message>
    <message>
        <source>Run them one after the other.</source>
        <translation>하나씩 차례로 실행하세요.</translation>
    </message>
    <message>
        <source>Scaling and moving leave the attention as it is, but what all queries share is moved away: a key that every query looks at is not nearer; and the plane has two directions of many.</source>
        <translation>배율과 이동은 어텐션을 바꾸지 않지만, 모든 쿼리가 공유하는 부분은 옮겨져 사라집니다. 모든 쿼리가 보는 키라고 해서 더 가깝지는 않습니다. 또 평면은 많은 방향 가운데 둘뿐입니다.</translation>
    </message>
    <message>
        <source>Score by dimension</source>
        <translation>차원별 점수</translation>
    </message>
    <message>
        <source>Score {0} gives weight {1}: rank {2} of {3}. The softmax shares a weight of 1 among these keys; the score of each decides its part. Click a key to explain its weight.</source>
        <translation>점수 {0} → 가중치 {1}: {3}개 중 {2}위. 소프트맥스는 가중치 1을 이 키들에 나누어 줍니다. 각 키의 몫은 그 점수가 정합니다. 키를 클릭하면 그 가중치를 설명합니다.</translation>
    </message>
    <message>
        <source>Seed of the random order</source>
        <translation>무작위 순서의 시드</translation>
    </message>
    <message>
        <source>Sentence vector made of</source>
        <translation>문장 벡터를 만드는 방법</translation>
    </message>
    <message>
        <source>Sentences sampled of each tenth</source>
        <translation>10분위마다 뽑을 문장 수</translation>
    </message>
    <message>
        <source>Share of the sentences that is held out</source>
        <translation>떼어 두는 문장의 비율</translation>
    </message>
    <message>
        <source>Share of the sentences that is used</source>
        <translation>쓰는 문장의 비율</translation>
    </message>
    <message>
        <source>Singular values</source>
        <translation>특잇값</translation>
    </message>
    <message>
        <source>State 0 is the output of the embeddings, 1 that of layer 0.</source>
        <translation>상태 0은 임베딩의 출력, 1은 레이어 0의 출력입니다.</translation>
    </message>
    <message>
        <source>Steps of a curve</source>
        <translation>곡선의 단계 수</translation>
    </message>
    <message>
        <source>Number of points</source>
        <translation>점의 개수</translation>
    </message>
    <message>
        <source>Above offset</source>
        <translation>거리보다 나은 만큼</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>정확도</translation>
    </message>
    <message>
        <source>As sure as right</source>
        <translation>확신한 만큼 맞음</translation>
    </message>
    <message>
        <source>Convert it with transformers 4 and TensorFlow, in that folder: {0}.</source>
        <translation>그 폴더에서 transformers 4와 TensorFlow로 변환하세요: {0}.</translation>
    </message>
    <message>
        <source>Core ML&apos;s</source>
        <translation>Core ML 형식</translation>
    </message>
    <message>
        <source>How that class splits text is not known here.</source>
        <translation>이 프로그램은 그 클래스가 글을 어떻게 나누는지 알지 못합니다.</translation>
    </message>
    <message>
        <source>If you trust that code and it has a fast tokenizer, save it as tokenizer.json into a copy of the folder: {0}. Let “tokenizer_class” in {1} be “PreTrainedTokenizerFast” there, and remove “auto_map”.</source>
        <translation>그 코드를 믿을 수 있고 빠른 토크나이저가 있으면, 폴더의 사본에 tokenizer.json으로 저장하세요: {0}. 그 안의 {1}에서 “tokenizer_class”를 “PreTrainedTokenizerFast”로 바꾸고 “auto_map”을 지우세요.</translation>
    </message>
    <message>
        <source>No tokenizer class is named: texts are split by {0}. transformers would read a {1}.</source>
        <translation>토크나이저 클래스가 적혀 있지 않아 글을 {0} 파일로 나눕니다. transformers가 읽을 클래스는 {1}입니다.</translation>
    </message>
    <message>
        <source>No tokenizer.json can be made of that class: choose a checkpoint with another tokenizer.</source>
        <translation>그 클래스로는 tokenizer.json을 만들 수 없습니다. 다른 토크나이저를 쓰는 체크포인트를 고르세요.</translation>
    </message>
    <message>
        <source>ONNX&apos;s</source>
        <translation>ONNX 형식</translation>
    </message>
    <message>
        <source>Occlusion</source>
        <translation>가리기</translation>
    </message>
    <message>
        <source>Only LoRA adapters of PEFT are added to the weights.</source>
        <translation>PEFT의 LoRA 어댑터만 가중치에 더할 수 있습니다.</translation>
    </message>
    <message>
        <source>Only a vector that a checkpoint was trained to compare tells how alike two texts are in meaning: mostly the sentence vector of sentence-transformers.</source>
        <translation>두 글의 뜻이 얼마나 비슷한지는 비교하도록 학습된 벡터만 알려 줍니다. 대개 sentence-transformers의 문장 벡터입니다.</translation>
    </message>
    <message>
        <source>Only the {0} tokens that both runs have are compared; {1} of run A and {2} of run B are not.</source>
        <translation>두 실행에 모두 있는 토큰 {0}개만 비교합니다. 실행 A의 {1}개와 실행 B의 {2}개는 비교하지 않습니다.</translation>
    </message>
    <message>
        <source>Open a checkpoint whose layers are built as those of BERT.</source>
        <translation>레이어 구조가 BERT와 같은 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint without a convolution.</source>
        <translation>합성곱이 없는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a folder of that training with {0} in it, or write one: {1}.</source>
        <translation>{0} 파일이 있는 그 학습의 폴더를 열거나, 새로 저장하세요: {1}.</translation>
    </message>
    <message>
        <source>Open it without the other one.</source>
        <translation>다른 하나 없이 여세요.</translation>
    </message>
    <message>
        <source>Open one of them: {0}.</source>
        <translation>그중 하나를 여세요: {0}.</translation>
    </message>
    <message>
        <source>Open one that pools by the mean, the first or the last token.</source>
        <translation>평균이나 첫 토큰, 마지막 토큰으로 풀링하는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one that was saved with a task head.</source>
        <translation>과제 헤드와 함께 저장된 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open one with a head for masked tokens.</source>
        <translation>가린 토큰을 예측하는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open the checkpoint.</source>
        <translation>체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open the same checkpoint in both.</source>
        <translation>두 실행에서 같은 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open the same file again: measuring goes on from what is saved.</source>
        <translation>같은 파일을 다시 여세요. 저장된 곳에서 측정을 계속합니다.</translation>
    </message>
    <message>
        <source>OpenVINO&apos;s</source>
        <translation>OpenVINO 형식</translation>
    </message>
    <message>
        <source>Outcome to explain</source>
        <translation>설명할 결과</translation>
    </message>
    <message>
        <source>Outputs count from 0.</source>
        <translation>출력 번호는 0부터 셉니다.</translation>
    </message>
    <message>
        <source>Pairs of random orders</source>
        <translation>무작위 순서의 쌍 수</translation>
    </message>
    <message>
        <source>Parquet is read and written by the package pyarrow, which is not installed.</source>
        <translation>Parquet 파일을 읽고 쓰려면 pyarrow 패키지가 필요한데, 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>Part {0} of {1} of the tensor in the file.</source>
        <translation>파일에 있는 텐서를 {1}부분으로 나눈 것 중 {0}번째입니다.</translation>
    </message>
    <message>
        <source>Parts of the encoder that are not computed: {0}.</source>
        <translation>인코더 안에 있지만 계산되지 않는 부분: {0}.</translation>
    </message>
    <message>
        <source>Parts that point away from the vector count as nothing; the feed-forward part is left out.</source>
        <translation>벡터와 반대로 향하는 부분은 0으로 칩니다. 피드포워드는 빠져 있습니다.</translation>
    </message>
    <message>
        <source>Piece or class; empty: the likeliest</source>
        <translation>토큰 조각이나 클래스(비우면 확률이 가장 높은 것)</translation>
    </message>
    <message>
        <source>Piece to follow</source>
        <translation>따라갈 토큰 조각</translation>
    </message>
    <message>
        <source>Piece; empty: the likeliest</source>
        <translation>토큰 조각(비우면 확률이 가장 높은 것)</translation>
    </message>
    <message>
        <source>Position of the key</source>
        <translation>키의 위치</translation>
    </message>
    <message>
        <source>Position of the predicted token</source>
        <translation>예측할 토큰의 위치</translation>
    </message>
    <message>
        <source>Position of the query</source>
        <translation>쿼리의 위치</translation>
    </message>
    <message>
        <source>Position of the query; empty: all</source>
        <translation>쿼리의 위치(비우면 모두)</translation>
    </message>
    <message>
        <source>Position of the token</source>
        <translation>토큰의 위치</translation>
    </message>
    <message>
        <source>Position of the token of the other run</source>
        <translation>다른 실행의 토큰 위치</translation>
    </message>
    <message>
        <source>Positions from {0} on were hardly trained: attention there is unreliable.</source>
        <translation>위치 {0}번부터는 거의 학습되지 않았습니다. 그 뒤의 어텐션은 믿을 만하지 않습니다.</translation>
    </message>
    <message>
        <source>Positions of tokens</source>
        <translation>토큰의 위치</translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Previous token</source>
        <translation>이전 토큰</translation>
    </message>
    <message>
        <source>Put in from run B</source>
        <translation>실행 B에서 가져올 부분</translation>
    </message>
    <message>
        <source>Put the same files on every machine, or in a shared folder.</source>
        <translation>모든 컴퓨터에 같은 파일을 두거나 공유 폴더를 쓰세요.</translation>
    </message>
    <message>
        <source>Relevance by attention gradients</source>
        <translation>어텐션 기울기로 본 관련도</translation>
    </message>
    <message>
        <source>Replace the head&apos;s output by</source>
        <translation>헤드의 출력을 대신할 값</translation>
    </message>
    <message>
        <source>Replaced tokens are pieces of the vocabulary by their positions.</source>
        <translation>바꿀 토큰은 위치마다 어휘의 조각을 주어야 합니다.</translation>
    </message>
    <message>
        <source>Resume it: it is as last saved.</source>
        <translation>이어서 하세요. 마지막으로 저장된 상태 그대로입니다.</translation>
    </message>
    <message>
        <source>Run B and panels of it are not part of a station.</source>
        <translation>실행 B와 그 패널은 장면에 들어가지 않습니다.</translation>
    </message>
    <message>
        <source>Run B is left out: its checkpoint {0} is not on this computer.</source>
        <translation>실행 B는 제외했습니다. 그 체크포인트({0})가 이 컴퓨터에 없습니다.</translation>
    </message>
    <message>
        <source>Run {0} in the folder.</source>
        <translation>그 폴더에서 {0} 명령을 실행하세요.</translation>
    </message>
    <message>
        <source>Runs A and B are of different checkpoints, whose vectors cannot be compared.</source>
        <translation>실행 A와 B의 체크포인트가 달라 벡터를 비교할 수 없습니다.</translation>
    </message>
    <message>
        <source>Saliency</source>
        <translation>현저성</translation>
    </message>
    <message>
        <source>Same token</source>
        <translation>같은 토큰</translation>
    </message>
    <message>
        <source>Same word</source>
        <translation>같은 단어</translation>
    </message>
    <message>
        <source>Save it again without packing it so tightly.</source>
        <translation>그렇게까지 압축하지 말고 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Save the fast tokenizer as tokenizer.json into a copy of the folder: {0}. Let “tokenizer_class” in {1} be “PreTrainedTokenizerFast” there.</source>
        <translation>폴더의 사본에 빠른 토크나이저를 tokenizer.json으로 저장하세요: {0}. 그 안의 {1}에서 “tokenizer_class”를 “PreTrainedTokenizerFast”로 바꾸세요.</translation>
    </message>
    <message>
        <source>Save the model with one of them.</source>
        <translation>그중 하나만 두고 모델을 저장하세요.</translation>
    </message>
    <message>
        <source>Save the state dict of one of them.</source>
        <translation>그중 하나의 state dict만 저장하세요.</translation>
    </message>
    <message>
        <source>Save the state dict of the encoder and its embeddings alone.</source>
        <translation>인코더와 그 임베딩의 state dict만 저장하세요.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Seed of the random orders</source>
        <translation>무작위 순서의 시드</translation>
    </message>
    <message>
        <source>Segments count from 0.</source>
        <translation>세그먼트는 0부터 셉니다.</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>자체 검사</translation>
    </message>
    <message>
        <source>Sentence 1</source>
        <translation>문장 1</translation>
    </message>
    <message>
        <source>Sentence 2</source>
        <translation>문장 2</translation>
    </message>
    <message>
        <source>Several tokens are “{0}”: at {1}.</source>
        <translation>“{0}” 토큰이 여러 개입니다. 위치: {1}.</translation>
    </message>
    <message>
        <source>Several workers need the package dask.distributed, which is not installed.</source>
        <translation>작업 프로세스를 여럿 쓰려면 dask.distributed 패키지가 필요한데, 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>Shapley values</source>
        <translation>섀플리 값</translation>
    </message>
    <message>
        <source>Share of the residual connection</source>
        <translation>잔차 연결의 비율</translation>
    </message>
    <message>
        <source>Show run A or run B.</source>
        <translation>실행 A나 실행 B를 보세요.</translation>
    </message>
    <message>
        <source>Similarity by pairs of tokens</source>
        <translation>토큰 쌍으로 본 유사도</translation>
    </message>
    <message>
        <source>Similarity of two texts</source>
        <translation>두 글의 유사도</translation>
    </message>
    <message>
        <source>Stages of one layer</source>
        <translation>레이어 하나의 계산 과정</translation>
    </message>
    <message>
        <source>Start it with: {0}.</source>
        <translation>시작 명령: {0}.</translation>
    </message>
    <message>
        <source>TensorFlow Lite&apos;s</source>
        <translation>TensorFlow Lite 형식</translation>
    </message>
    <message>
        <source>TensorFlow&apos;s</source>
        <translation>TensorFlow 형식</translation>
    </message>
    <message>
        <source>Texts are lower-cased, as sentence-transformers does it (do_lower_case).</source>
        <translation>sentence-transformers처럼 글을 소문자로 바꿉니다(do_lower_case).</translation>
    </message>
    <message>
        <source>That class splits text in another way.</source>
        <translation>그 클래스는 글을 다른 방식으로 나눕니다.</translation>
    </message>
    <message>
        <source>The adapter began as {0}, which changes the weights that it is added to.</source>
        <translation>이 어댑터의 시작 방식({0})은 어댑터를 더할 가중치까지 바꿉니다.</translation>
    </message>
    <message>
        <source>The adapter beside the weights is not added to them.</source>
        <translation>가중치 옆에 있는 어댑터는 더하지 않았습니다.</translation>
    </message>
    <message>
        <source>The adapter changes {0} of the shape {1}, where the checkpoint has {2}.</source>
        <translation>어댑터가 바꾸는 {0}의 모양은 {1}인데, 체크포인트에서는 {2}입니다.</translation>
    </message>
    <message>
        <source>The adapter changes {0}, which the checkpoint does not have.</source>
        <translation>어댑터가 바꾸는 가중치 {0}: 체크포인트에 없습니다.</translation>
    </message>
    <message>
        <source>The adapter has only one of the two factors of {0}.</source>
        <translation>어댑터에 {0}의 두 행렬 중 하나만 있습니다.</translation>
    </message>
    <message>
        <source>The adapter has {0}, which is not supported.</source>
        <translation>어댑터에 계산되지 않는 부분이 있습니다: {0}.</translation>
    </message>
    <message>
        <source>The adapter in {0} does not say which checkpoint it is added to.</source>
        <translation>{0}의 어댑터에는 어느 체크포인트에 더할지 적혀 있지 않습니다.</translation>
    </message>
    <message>
        <source>The adapter in {0} is added to the checkpoint “{1}”, which is not on this computer.</source>
        <translation>{0}의 어댑터는 체크포인트 “{1}”에 더하는 것인데, 이 컴퓨터에 없습니다.</translation>
    </message>
    <message>
        <source>The adapter is of another checkpoint.</source>
        <translation>다른 체크포인트의 어댑터입니다.</translation>
    </message>
    <message>
        <source>The adapter is of the kind {0}, which is not supported.</source>
        <translation>지원하지 않는 종류의 어댑터입니다: {0}.</translation>
    </message>
    <message>
        <source>The adapter is one of AdapterHub, which is not supported.</source>
        <translation>AdapterHub의 어댑터이며, 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>The adapter {0} is added to the weights in {1}.</source>
        <translation>어댑터 {0}: {1}의 가중치에 더했습니다.</translation>
    </message>
    <message>
        <source>The analysis has no parameter “{0}”.</source>
        <translation>이 분석에는 “{0}” 매개변수가 없습니다.</translation>
    </message>
    <message>
        <source>The answers could not be written, neither to {0} nor to the settings: they hold until the program ends.</source>
        <translation>{0}에도 설정 폴더에도 답을 쓸 수 없습니다. 이 답은 프로그램이 끝날 때까지만 쓰입니다.</translation>
    </message>
    <message>
        <source>The arrays of this session, {0}, are not beside it.</source>
        <translation>이 세션의 배열 파일({0})이 옆에 없습니다.</translation>
    </message>
    <message>
        <source>The arrays of this session, {0}, cannot be read.</source>
        <translation>이 세션의 배열 파일({0})을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>The base of the rotations in config.json, {0}, is no number above 1.</source>
        <translation>config.json에 있는 회전의 밑 {0}의 값이 1보다 큰 수가 아닙니다.</translation>
    </message>
    <message>
        <source>The checkpoint has no class “{0}”.</source>
        <translation>체크포인트에 클래스 “{0}” 항목이 없습니다.</translation>
    </message>
    <message>
        <source>The checkpoint has no parameter “{0}”.</source>
        <translation>“{0}”: 이 체크포인트에 없는 매개변수입니다.</translation>
    </message>
    <message>
        <source>The checkpoint of this saved run is not here: its parameters cannot be shown.</source>
        <translation>저장된 실행의 체크포인트가 이 컴퓨터에 없어 매개변수를 보여 줄 수 없습니다.</translation>
    </message>
    <message>
        <source>The checkpoint {0} of a worker has other weights.</source>
        <translation>작업 프로세스가 연 체크포인트 {0}의 가중치가 다릅니다.</translation>
    </message>
    <message>
        <source>The cosine between two texts by each vector that may stand for a text.</source>
        <translation>글을 나타낼 수 있는 벡터마다 두 글 사이의 코사인을 구합니다.</translation>
    </message>
    <message>
        <source>The dtype is float32 or bfloat16.</source>
        <translation>dtype은 float32나 bfloat16이어야 합니다.</translation>
    </message>
    <message>
        <source>The example cannot be copied to {0}: {1}</source>
        <translation>예를 {0} 폴더에 복사할 수 없습니다: {1}</translation>
    </message>
    <message>
        <source>The factors of {0} cannot be multiplied: their shapes are {1} and {2}.</source>
        <translation>{0}의 두 행렬은 곱할 수 없습니다. 모양이 {1}, {2}입니다.</translation>
    </message>
    <message>
        <source>The file holds a decoder besides its encoder; models with a decoder are not supported.</source>
        <translation>이 파일에는 인코더 외에 계산하지 않는 디코더가 있습니다.</translation>
    </message>
    <message>
        <source>The file holds several encoders, whose names begin with {0}.</source>
        <translation>파일에 인코더가 여러 개 있으며, 그 이름은 다음과 같이 시작합니다: {0}.</translation>
    </message>
    <message>
        <source>The file is damaged; fetch it again.</source>
        <translation>파일이 손상되었습니다. 다시 받으세요.</translation>
    </message>
    <message>
        <source>The file {0} cannot be read: {1}.</source>
        <translation>파일을 읽을 수 없습니다({0}): {1}.</translation>
    </message>
    <message>
        <source>The files of this checkpoint do not say all that must be known: {0}.</source>
        <translation>이 체크포인트의 파일에는 꼭 알아야 할 것이 다 적혀 있지 않습니다: {0}.</translation>
    </message>
    <message>
        <source>The first layer adds a convolution, which this analysis does not follow.</source>
        <translation>첫 레이어에서 합성곱을 더하는데, 이 분석은 합성곱을 다루지 않습니다.</translation>
    </message>
    <message>
        <source>The first token has global attention, as in transformers where none is given.</source>
        <translation>따로 지정하지 않을 때의 transformers처럼 첫 토큰이 전역 어텐션을 갖습니다.</translation>
    </message>
    <message>
        <source>The flow of all tokens is computed of up to {0} tokens; this text has {1}.</source>
        <translation>모든 토큰의 플로는 토큰 {0}개까지 계산합니다. 이 글의 토큰은 {1}개입니다.</translation>
    </message>
    <message>
        <source>The folder {0} holds something else.</source>
        <translation>{0} 폴더에 다른 것이 들어 있습니다.</translation>
    </message>
    <message>
        <source>The format of {0} is {1}, which is not read.</source>
        <translation>{0}: 이 파일의 형식은 읽지 않습니다({1}).</translation>
    </message>
    <message>
        <source>The home folder that {0} begins with cannot be found.</source>
        <translation>{0}의 앞에 적힌 홈 폴더를 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>The hub answered with status {0} for {1}.</source>
        <translation>허브가 {1} 요청에 상태 코드 {0} 응답을 보냈습니다.</translation>
    </message>
    <message>
        <source>The hub could not be reached, or broke off, while fetching {0}.</source>
        <translation>{0} 파일을 받는 중 허브에 닿지 못했거나 연결이 끊겼습니다.</translation>
    </message>
    <message>
        <source>The hub has no model {0}, or it is private.</source>
        <translation>허브에 {0} 모델이 없거나 비공개입니다.</translation>
    </message>
    <message>
        <source>The largest weight of a row, the head&apos;s confidence.</source>
        <translation>행에서 가장 큰 가중치, 곧 헤드의 확신도입니다.</translation>
    </message>
    <message>
        <source>The layers of this model have bottlenecks, which this analysis does not follow.</source>
        <translation>이 모델의 레이어에는 병목이 있는데, 이 분석은 병목을 다루지 않습니다.</translation>
    </message>
    <message>
        <source>The lengths of {0} rows are saved, but there are {1}.</source>
        <translation>저장된 행 길이는 {0}개인데, 행은 {1}개입니다.</translation>
    </message>
    <message>
        <source>The listed names are: {0}.</source>
        <translation>목록에 있는 이름: {0}.</translation>
    </message>
    <message>
        <source>The mean of head {0} · {1} needs a reference text over which it is taken.</source>
        <translation>{0} · {1} 헤드의 평균을 내려면 기준 글이 필요합니다.</translation>
    </message>
    <message>
        <source>The measures are: {0}.</source>
        <translation>쓸 수 있는 지표: {0}.</translation>
    </message>
    <message>
        <source>The names of its weights begin with “{0}”, which is taken off.</source>
        <translation>가중치의 이름은 모두 “{0}” 부분으로 시작하며, 이 부분은 떼어 냈습니다.</translation>
    </message>
    <message>
        <source>The norms of this model only scale and shift, or its layers have several feed-forward parts, which this analysis does not follow.</source>
        <translation>이 모델은 정규화 자리에서 수를 곱하고 더하기만 하거나 레이어마다 피드포워드 부분이 여럿인데, 이 분석은 그런 구조를 따라가지 않습니다.</translation>
    </message>
    <message>
        <source>The number for {0} is {1}.</source>
        <translation>{0}의 수가 {1}입니다.</translation>
    </message>
    <message>
        <source>The numbers of each task head before they become probabilities.</source>
        <translation>각 과제 헤드의 출력이 확률로 바뀌기 전의 값입니다.</translation>
    </message>
    <message>
        <source>The numbers of layer {0} are not finite.</source>
        <translation>레이어 {0}에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The numbers of the embeddings are not finite.</source>
        <translation>임베딩에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The numbers of the pooler are not finite.</source>
        <translation>풀러에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The numbers of the sentence vector are not finite.</source>
        <translation>문장 벡터에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The numbers of this checkpoint are not finite.</source>
        <translation>이 체크포인트로 계산한 값에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The numbers of {0} of {1} layers are still being computed.</source>
        <translation>레이어 {1}개 중 {0}개의 수치를 아직 계산하고 있습니다.</translation>
    </message>
    <message>
        <source>The order depends on what replaces the heads: each way ranks them differently.</source>
        <translation>무엇으로 바꾸느냐에 따라 순위가 달라집니다.</translation>
    </message>
    <message>
        <source>The parameter “{0}” cannot be “{1}”.</source>
        <translation>매개변수 “{0}”: “{1}” 값은 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>The parts add up exactly, but how biases and activations are divided among them is a choice.</source>
        <translation>부분을 더하면 정확히 전체가 되지만, 편향과 활성화 함수를 어떻게 나누는지는 정하기 나름입니다.</translation>
    </message>
    <message>
        <source>The pooling is of vectors of width {0}, not {1}.</source>
        <translation>풀링은 너비가 {0}인 벡터를 위한 것인데, 여기서는 너비가 {1}입니다.</translation>
    </message>
    <message>
        <source>The position id {0} does not exist: this model has position ids 0 to {1}.</source>
        <translation>위치 ID {0}번이 없습니다. 이 모델의 위치 ID는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>The process that measured the file has ended (code {0}).</source>
        <translation>파일을 측정하던 프로세스가 끝났습니다(코드 {0}).</translation>
    </message>
    <message>
        <source>The ranks of heads depend on what replaces them, and heads can stand in for each other.</source>
        <translation>헤드의 순위는 무엇으로 대신하는지에 따라 달라지고, 헤드끼리 서로의 역할을 대신할 수도 있습니다.</translation>
    </message>
    <message>
        <source>The rate cannot be {0}.</source>
        <translation>학습률은 {0}일 수 없습니다.</translation>
    </message>
    <message>
        <source>The sentence to watch</source>
        <translation>지켜볼 문장</translation>
    </message>
    <message>
        <source>The share of the run over which the rate falls is {0}.</source>
        <translation>학습률이 내려가는 구간의 비율이 {0}입니다.</translation>
    </message>
    <message>
        <source>The rate is {0}.</source>
        <translation>학습률이 {0}입니다.</translation>
    </message>
    <message>
        <source>The reference text is too long for this model: means are taken over its first {0} tokens.</source>
        <translation>기준 글이 이 모델에는 너무 길어, 처음 토큰 {0}개로 평균을 냅니다.</translation>
    </message>
    <message>
        <source>The rotations in {0} are not those of base {1}, which are computed.</source>
        <translation>{0}의 회전값이 계산에 쓰는 밑 {1}의 값과 다릅니다.</translation>
    </message>
    <message>
        <source>It is not said when the run ends.</source>
        <translation>학습을 언제 끝낼지 정해져 있지 않습니다.</translation>
    </message>
    <message>
        <source>The run was begun with other settings: {0}.</source>
        <translation>학습이 다른 설정으로 시작되었습니다: {0}.</translation>
    </message>
    <message>
        <source>The same numbers as {0}, counted there.</source>
        <translation>{0}: 같은 값을 함께 쓰므로 개수는 그쪽에서 셉니다.</translation>
    </message>
    <message>
        <source>The scheduler {0} does not answer: {1}.</source>
        <translation>스케줄러가 응답하지 않습니다({0}): {1}.</translation>
    </message>
    <message>
        <source>The score of one query and one key by dimension and by what wrote the vectors, and its competitors.</source>
        <translation>쿼리 하나와 키 하나의 점수를 차원별로, 그리고 벡터를 만든 부분별로 나눈 값과 함께 경쟁한 키들입니다.</translation>
    </message>
    <message>
        <source>The segment id {0} does not exist: this model has segment ids 0 to {1}.</source>
        <translation>세그먼트 ID {0}번이 없습니다. 이 모델의 세그먼트 ID는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>The self-test is of numbers in float32; this text was encoded in bfloat16.</source>
        <translation>자체 검사는 float32 수치를 대상으로 합니다. 이 문장은 bfloat16으로 인코딩되었습니다.</translation>
    </message>
    <message>
        <source>The number of steps between two pictures of the sentence is {0}.</source>
        <translation>문장을 다시 그리는 간격이 {0}스텝입니다.</translation>
    </message>
    <message>
        <source>The sentence vector is not computed. {0}</source>
        <translation>문장 벡터를 계산하지 않습니다. {0}</translation>
    </message>
    <message>
        <source>The sentence vector of this checkpoint is no weighted sum of the tokens&apos; vectors.</source>
        <translation>이 체크포인트의 문장 벡터는 토큰 벡터의 가중합이 아닙니다.</translation>
    </message>
    <message>
        <source>The share of each token in the chosen outcome, by attention weights times their gradients.</source>
        <translation>어텐션 가중치와 그 기울기의 곱으로 본, 선택한 결과에 대한 각 토큰의 몫입니다.</translation>
    </message>
    <message>
        <source>The standard deviation of the first weights is {0}.</source>
        <translation>처음 가중치의 표준편차가 {0}입니다.</translation>
    </message>
    <message>
        <source>The sum is exact, but only what a head adds directly counts for it: what later layers make of that counts for them.</source>
        <translation>합은 정확하지만 헤드가 직접 더한 것만 그 헤드의 몫입니다. 뒤 레이어가 그것으로 만든 것은 뒤 레이어의 몫으로 칩니다.</translation>
    </message>
    <message>
        <source>The sum is exact, but the split is not the only one: it depends on how biases are divided.</source>
        <translation>합은 정확하지만 나누는 방법은 하나가 아닙니다. 편향을 어떻게 나누는지에 따라 달라집니다.</translation>
    </message>
    <message>
        <source>The table of segments has as many rows as the vocabulary; rows {0} and {1} are used.</source>
        <translation>세그먼트 표의 행이 어휘의 조각만큼 있습니다. {0}행과 {1}행을 씁니다.</translation>
    </message>
    <message>
        <source>The task head was trained on the last layer only: what it reads earlier need not be meant.</source>
        <translation>과제 헤드는 마지막 레이어로만 학습했습니다. 앞 레이어에서 읽은 결과에 꼭 뜻이 있는 것은 아닙니다.</translation>
    </message>
    <message>
        <source>The tensor {0} cannot be cut into {1}: it has shape {2}.</source>
        <translation>텐서 {0}의 모양({2})으로는 {1}개로 나눌 수 없습니다.</translation>
    </message>
    <message>
        <source>The tensor {0} holds {1} parameters.</source>
        <translation>텐서 {0}에는 매개변수 {1}개가 들어 있습니다.</translation>
    </message>
    <message>
        <source>The text was encoded with another checkpoint than {0}.</source>
        <translation>이 문장을 인코딩한 체크포인트는 {0} 체크포인트가 아닙니다.</translation>
    </message>
    <message>
        <source>The texts are a list of texts, not {0}.</source>
        <translation>글은 글의 목록이어야 하며 {0} 형식은 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>The texts are too short to learn from.</source>
        <translation>글이 너무 짧아 학습할 수 없습니다.</translation>
    </message>
    <message>
        <source>The texts give a vocabulary of {0} pieces only.</source>
        <translation>글에서 나온 어휘가 {0}조각뿐입니다.</translation>
    </message>
    <message>
        <source>The token id {0} does not exist: this model has token ids 0 to {1}.</source>
        <translation>토큰 ID {0}번이 없습니다. 이 모델의 토큰 ID는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>The tokenizer fails: {0}</source>
        <translation>토크나이저가 실패했습니다: {0}</translation>
    </message>
    <message>
        <source>The tokenizer gives ids that do not fit its pieces.</source>
        <translation>토크나이저가 주는 ID가 토큰 조각과 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The tokenizer gives the segment {0}, but this checkpoint knows {1}.</source>
        <translation>토크나이저는 세그먼트 {0}번을 주지만 이 체크포인트가 아는 세그먼트는 {1}개입니다.</translation>
    </message>
    <message>
        <source>The tokenizer has no pieces at all.</source>
        <translation>토크나이저에 조각이 하나도 없습니다.</translation>
    </message>
    <message>
        <source>The tokenizer is not that of this checkpoint; put the right one into its folder.</source>
        <translation>이 체크포인트의 토크나이저가 아닙니다. 맞는 것을 폴더에 넣으세요.</translation>
    </message>
    <message>
        <source>The tokenizer keeps nothing of this text.</source>
        <translation>이 문장에서 토크나이저가 읽을 수 있는 글자가 없습니다.</translation>
    </message>
    <message>
        <source>The tokenizer numbers “{0}” {1}, but the weights have ids 0 to {2}.</source>
        <translation>토크나이저는 “{0}”에 {1}번을 주지만 가중치에는 ID가 0부터 {2}까지 있습니다.</translation>
    </message>
    <message>
        <source>The tokens are: {0}.</source>
        <translation>있는 토큰: {0}.</translation>
    </message>
    <message>
        <source>The tokens of the question have global attention, as in transformers where none is given.</source>
        <translation>따로 지정하지 않을 때의 transformers처럼 질문의 토큰들이 전역 어텐션을 갖습니다.</translation>
    </message>
    <message>
        <source>The tokens of the second text have global attention, as in transformers where none is given.</source>
        <translation>둘째 글의 토큰이 전역 어텐션을 합니다. 따로 지정하지 않았을 때의 transformers와 같습니다.</translation>
    </message>
    <message>
        <source>The training broke off unexpectedly.</source>
        <translation>학습이 뜻밖에 중단되었습니다.</translation>
    </message>
    <message>
        <source>The training could not be done.</source>
        <translation>학습하지 못했습니다.</translation>
    </message>
    <message>
        <source>The training was ended from outside, perhaps for want of memory.</source>
        <translation>학습이 밖에서 종료되었습니다. 메모리가 모자랐을 수 있습니다.</translation>
    </message>
    <message>
        <source>The two checkpoints have no {0} of the same shape: there is no difference.</source>
        <translation>두 체크포인트의 {0}: 모양이 같지 않아 차이를 구할 수 없습니다.</translation>
    </message>
    <message>
        <source>The two files are not of the same adapter.</source>
        <translation>두 파일이 같은 어댑터의 것이 아닙니다.</translation>
    </message>
    <message>
        <source>The two languages have different numbers of answers.</source>
        <translation>두 언어의 보기 수가 서로 다릅니다.</translation>
    </message>
    <message>
        <source>The two texts have no token in common.</source>
        <translation>두 글에 공통된 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>The value of “{0}” for token {1} is missing or of another kind.</source>
        <translation>토큰 {1}의 “{0}” 값이 없거나 종류가 다릅니다.</translation>
    </message>
    <message>
        <source>The values depend on the baseline, and the points on the way are no texts.</source>
        <translation>값은 기준점에 따라 달라지고, 기준점에서 이 글까지 가는 길 위의 점들은 실제 글이 아닙니다.</translation>
    </message>
    <message>
        <source>The vocabulary of this checkpoint has neither a mask nor a padding token.</source>
        <translation>이 체크포인트의 어휘에는 마스크 토큰도 패딩 토큰도 없습니다.</translation>
    </message>
    <message>
        <source>The weight decay is {0}.</source>
        <translation>가중치 감쇠가 {0}입니다.</translation>
    </message>
    <message>
        <source>The weight on the first token, {0}.</source>
        <translation>첫 토큰 {0}에 주는 가중치입니다.</translation>
    </message>
    <message>
        <source>The weight on the other special tokens, {0}.</source>
        <translation>나머지 특수 토큰 {0}에 주는 가중치입니다.</translation>
    </message>
    <message>
        <source>The weight on the other tokens of the query&apos;s word: its other pieces, and the same word elsewhere; queries without any are left out.</source>
        <translation>쿼리와 같은 단어의 다른 토큰에 대한 가중치. 그 단어의 나머지 조각과, 다른 곳에 다시 나온 같은 단어입니다. 그런 토큰이 없는 쿼리는 평균에서 뺍니다.</translation>
    </message>
    <message>
        <source>The weight on the query&apos;s own token.</source>
        <translation>쿼리 자신의 토큰에 주는 가중치입니다.</translation>
    </message>
    <message>
        <source>The weights are damaged, or too large to be computed with; fetch the checkpoint again.</source>
        <translation>가중치가 손상되었거나 너무 커서 계산할 수 없습니다. 체크포인트를 다시 받으세요.</translation>
    </message>
    <message>
        <source>The weights have an adapter of the kind {0}, which is not supported: {1}.</source>
        <translation>가중치에 지원하지 않는 종류({0})의 어댑터가 있습니다: {1}.</translation>
    </message>
    <message>
        <source>The weights have no {0} of {1} dimensions, which says how large the model is.</source>
        <translation>모델의 크기를 알려 주는 {1}차원 가중치({0})가 없습니다.</translation>
    </message>
    <message>
        <source>The weights have several adapters: {0}.</source>
        <translation>가중치에 어댑터가 여러 개 있습니다: {0}.</translation>
    </message>
    <message>
        <source>The weights in {0} are split over the processes of DeepSpeed.</source>
        <translation>{0}의 가중치는 DeepSpeed의 프로세스별로 나뉘어 있습니다.</translation>
    </message>
    <message>
        <source>The weights that are set in row {0} of head {1} · {2} add up to more than 1.</source>
        <translation>{1} · {2} 헤드의 {0}행에서 정한 가중치의 합이 1을 넘습니다.</translation>
    </message>
    <message>
        <source>The weights changed while they were being read.</source>
        <translation>읽는 동안 가중치 파일이 새로 쓰였습니다.</translation>
    </message>
    <message>
        <source>0 in most code; 1 where 0 is that of padding; 2 in fairseq, where padding has 1. A table with one or two rows more than a multiple of 32 is of such code.</source>
        <translation>대부분의 코드에서는 0이고, 0이 패딩의 것이면 1이며, 패딩이 1인 fairseq에서는 2입니다. 표의 행이 32의 배수보다 하나나 둘 많으면 그런 코드의 것입니다.</translation>
    </message>
    <message>
        <source>1 invisible character was dropped, as this model&apos;s tokenizer does: {0}.</source>
        <translation>이 모델의 토크나이저가 하는 대로 보이지 않는 문자 1개를 뺐습니다: {0}.</translation>
    </message>
    <message>
        <source>1 → special tokens</source>
        <translation>1 → 특수 토큰</translation>
    </message>
    <message>
        <source>2 → special tokens</source>
        <translation>2 → 특수 토큰</translation>
    </message>
    <message>
        <source>A cell for each head, or token: layers down</source>
        <translation>헤드나 토큰마다 한 칸. 레이어는 아래로</translation>
    </message>
    <message>
        <source>A cell for each query and key (M)</source>
        <translation>쿼리와 키마다 한 칸 (M)</translation>
    </message>
    <message>
        <source>A dense layer, scaled and shifted, narrows the input; the parts of the layer work on that.</source>
        <translation>밀집 레이어 하나를 거친 뒤 수마다 곱하고 더해 입력을 좁힙니다. 레이어의 부분들은 이 좁은 벡터로 계산합니다.</translation>
    </message>
    <message>
        <source>A figure is from 2 cm to 2 m wide and high.</source>
        <translation>그림의 너비와 높이는 2 cm에서 2 m까지입니다.</translation>
    </message>
    <message>
        <source>A folder, or org/name: a model of the hub that is not on this computer is downloaded.</source>
        <translation>폴더 또는 org/name. 이 컴퓨터에 없는 허브 모델은 내려받습니다.</translation>
    </message>
    <message>
        <source>A lens needs two texts or more: one to train on, one to judge it.</source>
        <translation>렌즈에는 학습할 글과 시험할 글, 적어도 두 편이 필요합니다.</translation>
    </message>
    <message>
        <source>A line from each query to each key (L)</source>
        <translation>쿼리에서 키로 잇는 선 (L)</translation>
    </message>
    <message>
        <source>A model in memory needs its tokenizer, not {0}.</source>
        <translation>메모리에 있는 모델에는 그 토크나이저가 필요한데 {0}입니다.</translation>
    </message>
    <message>
        <source>A model of transformers is needed, not {0}.</source>
        <translation>transformers의 모델이 필요한데 {0}입니다.</translation>
    </message>
    <message>
        <source>A name is missing between two commas.</source>
        <translation>쉼표 두 개 사이에 이름이 빠졌습니다.</translation>
    </message>
    <message>
        <source>A norm of its own class, with x.std(-1) in it, divides by the sample standard deviation; nn.LayerNorm by the root of the variance.</source>
        <translation>x.std(-1)이 든 자기 클래스의 정규화는 표본 표준편차로 나누고, nn.LayerNorm은 분산의 제곱근으로 나눕니다.</translation>
    </message>
    <message>
        <source>A number</source>
        <translation>수</translation>
    </message>
    <message>
        <source>A page has no theme “{0}”.</source>
        <translation>페이지에는 “{0}” 테마가 없습니다.</translation>
    </message>
    <message>
        <source>A page has no view “{0}”.</source>
        <translation>페이지에는 “{0}” 보기가 없습니다.</translation>
    </message>
    <message>
        <source>A page is not written in “{0}”.</source>
        <translation>페이지는 “{0}”(으)로 쓰이지 않습니다.</translation>
    </message>
    <message>
        <source>A page of {0} weights would be too large for a browser: at most {1} are written.</source>
        <translation>가중치 {0}개의 페이지는 브라우저에 너무 큽니다. 최대 {1}개까지 씁니다.</translation>
    </message>
    <message>
        <source>A probe needs two different sentences and two labels or more.</source>
        <translation>프로브에는 서로 다른 문장과 레이블이 각각 둘 이상 필요합니다.</translation>
    </message>
    <message>
        <source>A scale of 1</source>
        <translation>배율 1</translation>
    </message>
    <message>
        <source>A scale of 2</source>
        <translation>배율 2</translation>
    </message>
    <message>
        <source>A second dense layer brings the result back to the width of the model.</source>
        <translation>둘째 밀집 레이어가 결과를 다시 모델의 너비로 줄입니다.</translation>
    </message>
    <message>
        <source>A second dense layer narrows the input for queries and keys; values read it whole.</source>
        <translation>둘째 밀집 레이어가 쿼리와 키를 위해 입력을 좁힙니다. 값 벡터는 좁히지 않은 입력에서 만듭니다.</translation>
    </message>
    <message>
        <source>A second pass agrees</source>
        <translation>두 번째 계산과 일치</translation>
    </message>
    <message>
        <source>A selection has a layer and a head, and may have a query and a key; this is {0}.</source>
        <translation>선택에는 층과 헤드가 있어야 하고 쿼리와 키는 있어도 되고 없어도 되는데, 이것은 {0}입니다.</translation>
    </message>
    <message>
        <source>A sentence has the label “{0}”, which is not among those learnt.</source>
        <translation>한 문장에 학습하지 않은 레이블 ‘{0}’이(가) 있습니다.</translation>
    </message>
    <message>
        <source>A single head of this text has more: take a shorter text.</source>
        <translation>이 텍스트는 헤드 하나만으로도 그보다 많습니다. 더 짧은 텍스트를 쓰세요.</translation>
    </message>
    <message>
        <source>A table of measures has every head; head {0} · {1} was pruned.</source>
        <translation>측정값 표에는 모든 헤드가 있어야 하는데, 헤드 {0} · {1}은(는) 가지치기되었습니다.</translation>
    </message>
    <message>
        <source>A third dense layer says how much of each number passes.</source>
        <translation>세 번째 밀집 레이어가 각 수를 얼마나 통과시킬지 정합니다.</translation>
    </message>
    <message>
        <source>A token&apos;s numbers get mean 0 and standard deviation 1, then a learned scale and shift.</source>
        <translation>토큰마다 수들을 평균 0, 표준편차 1로 정규화한 뒤 학습한 만큼 늘리고 옮깁니다.</translation>
    </message>
    <message>
        <source>A tokenizer of transformers is needed, not {0}.</source>
        <translation>transformers의 토크나이저가 필요한데 {0}입니다.</translation>
    </message>
    <message>
        <source>A whole part at once: expand, activation, contract, sum, norm, as in the last one.</source>
        <translation>한 부분 전체를 한 단계로 보입니다. 마지막 부분처럼 넓히기, 활성화, 줄이기, 더하기, 정규화 자리까지 차례로 계산합니다.</translation>
    </message>
    <message>
        <source>A width of {0} cannot be shared by {1} heads and as many convolutions.</source>
        <translation>너비 {0}은(는) 헤드 {1}개와 같은 수의 합성곱이 나누어 가질 수 없습니다.</translation>
    </message>
    <message>
        <source>Above: what each of the two words looks at in layer {0}. State 0 is the embeddings. Click a word of the texts to compare it.</source>
        <translation>위: 두 단어가 저마다 레이어 {0}에서 보는 것입니다. 상태 0은 임베딩입니다. 글의 단어를 클릭하면 그 단어를 비교합니다.</translation>
    </message>
    <message>
        <source>Activation of the feed-forward part</source>
        <translation>피드포워드 부분의 활성화 함수</translation>
    </message>
    <message>
        <source>Activation within the classifier</source>
        <translation>분류기 안의 활성화 함수</translation>
    </message>
    <message>
        <source>Add it</source>
        <translation>더하기</translation>
    </message>
    <message>
        <source>Add it with peft, by {0}, and save the model.</source>
        <translation>peft의 {0}(으)로 합친 뒤 모델을 저장하세요.</translation>
    </message>
    <message>
        <source>Added to the variance, so that nothing is divided by 0: eps, layer_norm_eps. A wrong one is seen only beside the numbers of the model&apos;s own code: hidden states differ in their later digits.</source>
        <translation>0으로 나누지 않도록 분산에 더하는 값입니다(eps, layer_norm_eps). 틀려도 모델 원래 코드의 값과 비교해야만 드러납니다. 은닉 상태의 뒷자리 숫자가 달라집니다.</translation>
    </message>
    <message>
        <source>After the embeddings</source>
        <translation>임베딩 뒤</translation>
    </message>
    <message>
        <source>After the last layer</source>
        <translation>마지막 레이어 뒤</translation>
    </message>
    <message>
        <source>After the sums</source>
        <translation>합 다음</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>모든 레이어</translation>
    </message>
    <message>
        <source>All vectors of a layer may be alike: compare with the mean of all pairs of tokens. The attention is the mean of all heads.</source>
        <translation>한 레이어의 벡터가 모두 비슷할 수 있으므로 모든 토큰 쌍의 평균과 견주세요. 어텐션은 모든 헤드의 평균입니다.</translation>
    </message>
    <message>
        <source>All weights of “{0}” add up to 100 %; “{1}” gets {2} % of them.</source>
        <translation>‘{0}’의 가중치를 모두 더하면 100 %이고, 그 가운데 {2} %를 ‘{1}’ 토큰이 받습니다.</translation>
    </message>
    <message>
        <source>All words of {0} have the label “{1}”.</source>
        <translation>{0}의 모든 단어의 레이블이 ‘{1}’입니다.</translation>
    </message>
    <message>
        <source>Alpha of the LoRA</source>
        <translation>LoRA의 알파</translation>
    </message>
    <message>
        <source>An adapter is not added to a model from which heads were pruned.</source>
        <translation>헤드를 가지치기한 모델에는 어댑터를 더하지 않습니다.</translation>
    </message>
    <message>
        <source>An encoder learnt to predict masked tokens: elsewhere it mostly copies, so masked tokens are the default. All of them are replaced by the mask token, not 80 % as in BERT&apos;s training. Every tenth text is held out.</source>
        <translation>인코더는 가린 토큰을 맞히도록 학습했고 다른 곳에서는 대개 베끼므로, 가린 토큰이 기본값입니다. BERT를 학습할 때처럼 80 %가 아니라 모두 마스크 토큰으로 바꿉니다. 글 열 개마다 하나를 남겨 둡니다.</translation>
    </message>
    <message>
        <source>An encoder-decoder has three traces; one is needed here.</source>
        <translation>인코더-디코더에는 기록이 세 개 있습니다. 여기에는 하나가 필요합니다.</translation>
    </message>
    <message>
        <source>An output is of one text: [T, D] or [1, T, D].</source>
        <translation>출력은 글 하나의 것입니다: [T, D] 또는 [1, T, D].</translation>
    </message>
    <message>
        <source>Another task head</source>
        <translation>다른 과제 헤드</translation>
    </message>
    <message>
        <source>Arcs above the words, from one to those that it looks at (R)</source>
        <translation>단어 위의 호: 한 단어에서 그 단어가 보는 단어들로 (R)</translation>
    </message>
    <message>
        <source>Are token embeddings scaled?</source>
        <translation>토큰 임베딩에 배율을 곱합니까?</translation>
    </message>
    <message>
        <source>As for the layers of one checkpoint. Only tokens that both checkpoints cut at the same characters are compared; how many are left out is said.</source>
        <translation>한 체크포인트의 레이어를 비교할 때와 같습니다. 두 체크포인트가 같은 글자에서 자른 토큰만 비교하며, 몇 개가 빠졌는지 알려 줍니다.</translation>
    </message>
    <message>
        <source>As in encoders whose norms come first</source>
        <translation>정규화가 먼저 오는 인코더처럼</translation>
    </message>
    <message>
        <source>As it is in the file</source>
        <translation>파일에 있는 그대로</translation>
    </message>
    <message>
        <source>As nn.Linear has them</source>
        <translation>nn.Linear처럼</translation>
    </message>
    <message>
        <source>Ask for one layer: trace.attention(layer).</source>
        <translation>한 레이어씩 요청하세요: trace.attention(layer).</translation>
    </message>
    <message>
        <source>At {0} mm not every label has room with letters of 6 points.</source>
        <translation>너비 {0} mm에서는 6포인트 글자로 모든 이름을 적을 수 없습니다.</translation>
    </message>
    <message>
        <source>At {0} mm not every label has room with letters of 6 points: that takes {1} mm.</source>
        <translation>너비 {0} mm에서는 6포인트 글자로 모든 이름을 적을 수 없습니다. {1} mm가 필요합니다.</translation>
    </message>
    <message>
        <source>Attention has two to four axes, not {0}.</source>
        <translation>어텐션의 축은 둘에서 넷인데 {0}입니다.</translation>
    </message>
    <message>
        <source>Attention is arrays of numbers, not {0}.</source>
        <translation>어텐션은 수의 배열이어야 하는데 {0}입니다.</translation>
    </message>
    <message>
        <source>Attention of {0} holds no number.</source>
        <translation>크기가 {0}인 어텐션에는 숫자가 없습니다.</translation>
    </message>
    <message>
        <source>Attention weights alone are not enough for this analysis: it reads more of the model.</source>
        <translation>이 분석은 어텐션 가중치만으로는 할 수 없습니다. 모델의 다른 값도 읽습니다.</translation>
    </message>
    <message>
        <source>Attention weights alone have no vectors.</source>
        <translation>어텐션 가중치만으로는 벡터가 없습니다.</translation>
    </message>
    <message>
        <source>AttnLRP</source>
        <translation>AttnLRP(관련도 전파)</translation>
    </message>
    <message>
        <source>AttnLRP has no rule for an operation of this model, “{0}”.</source>
        <translation>이 모델의 연산 “{0}”에 대해서는 AttnLRP의 규칙이 없습니다.</translation>
    </message>
    <message>
        <source>AttnLRP has no rule for the activation of this model.</source>
        <translation>이 모델의 활성화 함수에 대해서는 AttnLRP의 규칙이 없습니다.</translation>
    </message>
    <message>
        <source>BERT&apos;s own code</source>
        <translation>BERT 원래 코드</translation>
    </message>
    <message>
        <source>Before the first layer</source>
        <translation>첫 레이어 앞</translation>
    </message>
    <message>
        <source>Before the parts</source>
        <translation>각 부분 앞</translation>
    </message>
    <message>
        <source>Before the softmax; look for math.sqrt, ** 0.5 or scale in the attention.</source>
        <translation>소프트맥스 앞에서 나눕니다. 어텐션 코드에서 math.sqrt, ** 0.5, scale을 찾아보세요.</translation>
    </message>
    <message>
        <source>Below it: {0} of the texts</source>
        <translation>글의 {0}가 이보다 작음</translation>
    </message>
    <message>
        <source>Beside the encoder there are {0} outputs ({1}): say what they read to see them, as {2}.</source>
        <translation>인코더 옆에 출력 {0}개({1})가 있습니다. 무엇을 읽는지 {2}처럼 알려 주면 보여 줍니다.</translation>
    </message>
    <message>
        <source>Best head: {0}·{1}</source>
        <translation>가장 잘 찾는 헤드 {0}·{1}</translation>
    </message>
    <message>
        <source>Biases and the softmax keep a part of the outcome, which is given, so the tokens alone do not add up to it; the halves of a product are a convention. The epsilon of the rule for dense layers is 0.</source>
        <translation>결과의 일부는 편향과 소프트맥스에 남으므로(그 값도 나옵니다) 토큰만 더해서는 결과가 되지 않습니다. 곱을 반씩 나누는 것은 약속입니다. 밀집층 규칙의 엡실론은 0입니다.</translation>
    </message>
    <message>
        <source>Both runs</source>
        <translation>두 실행</translation>
    </message>
    <message>
        <source>Both tokens are of the same text</source>
        <translation>두 토큰이 같은 글에 있음</translation>
    </message>
    <message>
        <source>By chance</source>
        <translation>우연</translation>
    </message>
    <message>
        <source>By column</source>
        <translation>열마다</translation>
    </message>
    <message>
        <source>By head</source>
        <translation>헤드별</translation>
    </message>
    <message>
        <source>By keys</source>
        <translation>키로</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>레이어별</translation>
    </message>
    <message>
        <source>By queries</source>
        <translation>쿼리로</translation>
    </message>
    <message>
        <source>By the names of its weights it is zolda93&apos;s BERT-from-scratch, whose code adds the token embedding twice: so it is computed here.</source>
        <translation>가중치의 이름으로 보아 zolda93의 BERT-from-scratch입니다. 그 코드는 토큰 임베딩을 두 번 더하므로 여기서도 그렇게 계산합니다.</translation>
    </message>
    <message>
        <source>By values</source>
        <translation>값으로</translation>
    </message>
    <message>
        <source>CKA needs {0} vectors or more; this file gives {1}.</source>
        <translation>CKA에는 벡터가 {0}개 이상 필요한데 이 파일에서는 {1}개가 나옵니다.</translation>
    </message>
    <message>
        <source>CLIP reads texts and images: here its texts are read, its images are not.</source>
        <translation>CLIP은 글과 그림을 읽는 모델입니다. 여기서는 글만 읽습니다.</translation>
    </message>
    <message>
        <source>Call figure and save from there.</source>
        <translation>figure와 save를 그 스레드에서 호출하세요.</translation>
    </message>
    <message>
        <source>Call the model on the whole text instead.</source>
        <translation>대신 글 전체로 모델을 호출하세요.</translation>
    </message>
    <message>
        <source>Chance</source>
        <translation>우연</translation>
    </message>
    <message>
        <source>Change of the outcome</source>
        <translation>결과의 변화</translation>
    </message>
    <message>
        <source>Change of the score</source>
        <translation>점수의 변화</translation>
    </message>
    <message>
        <source>Check the parts, the order of the norms and the epsilon.</source>
        <translation>부분, 정규화의 순서, 엡실론을 확인하세요.</translation>
    </message>
    <message>
        <source>Choose a checkpoint for run B, or a file of weights.</source>
        <translation>실행 B의 체크포인트나 가중치 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Choose a head that it has.</source>
        <translation>모델에 있는 헤드를 선택하세요.</translation>
    </message>
    <message>
        <source>Choose an .npz file with “attention”; another checkpoint is chosen in row B.</source>
        <translation>“attention”이 든 .npz 파일을 고르세요. 다른 체크포인트는 B 줄에서 고릅니다.</translation>
    </message>
    <message>
        <source>Choose another one by ▾ beside the title of the panel.</source>
        <translation>패널 제목 옆의 ▾에서 다른 분석을 고르세요.</translation>
    </message>
    <message>
        <source>Choose another outcome, or another text for B.</source>
        <translation>다른 결과를 고르거나 B에 다른 텍스트를 넣으세요.</translation>
    </message>
    <message>
        <source>Choose another with {0}, or “” for the checkpoint&apos;s own.</source>
        <translation>{0}(으)로 다른 폴더를 고르거나, 체크포인트 자신의 것을 쓰려면 “”를 주세요.</translation>
    </message>
    <message>
        <source>Choose fewer by include_layers and include_heads: {0} heads of this text fit.</source>
        <translation>include_layers와 include_heads로 줄이세요. 이 텍스트에서는 헤드 {0}개까지 들어갑니다.</translation>
    </message>
    <message>
        <source>Choose fewer hidden states, such as 0,4,8,12.</source>
        <translation>0,4,8,12처럼 은닉 상태를 더 적게 선택하세요.</translation>
    </message>
    <message>
        <source>Choose one of them: {0}.</source>
        <translation>그중 하나를 고르세요: {0}.</translation>
    </message>
    <message>
        <source>Choose one that comes before.</source>
        <translation>쿼리보다 앞에 있는 토큰을 고르세요.</translation>
    </message>
    <message>
        <source>Choose one that it has, or add it.</source>
        <translation>들어 있는 것을 고르거나 추가하세요.</translation>
    </message>
    <message>
        <source>Choose the file of a lens.</source>
        <translation>렌즈 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>Choose the panels, or another question.</source>
        <translation>패널을 고르거나 다른 질문을 고르세요.</translation>
    </message>
    <message>
        <source>Choose the tokenizer that the model was trained with.</source>
        <translation>이 모델을 학습한 토크나이저를 고르세요.</translation>
    </message>
    <message>
        <source>Close this, and begin again.</source>
        <translation>이 창을 닫고 다시 시작하세요.</translation>
    </message>
    <message>
        <source>Column {0} of {1} has {2} different values and is no label.</source>
        <translation>{1}의 {0}열에는 서로 다른 값이 {2}개 있어 레이블로 볼 수 없습니다.</translation>
    </message>
    <message>
        <source>Columns of 0 and 1 are given together: {0}.</source>
        <translation>0과 1로 된 열들은 함께 줍니다: {0}.</translation>
    </message>
    <message>
        <source>Compare texts, or draw compare(…).figure() in Python.</source>
        <translation>글을 비교하거나, 파이썬에서 compare(…).figure()로 그리세요.</translation>
    </message>
    <message>
        <source>Compare two runs of one checkpoint.</source>
        <translation>같은 체크포인트의 두 실행을 비교하세요.</translation>
    </message>
    <message>
        <source>Comparing each two of these states takes {0} GiB of sums.</source>
        <translation>이 상태들을 둘씩 비교하려면 합을 담는 데 {0} GiB가 듭니다.</translation>
    </message>
    <message>
        <source>Content meets content, and each meets the distance between the two; the products are added.</source>
        <translation>내용과 내용을, 그리고 각각을 둘 사이의 거리와 곱하고, 그 내적들을 더합니다.</translation>
    </message>
    <message>
        <source>Control task</source>
        <translation>통제 과제</translation>
    </message>
    <message>
        <source>Copy it to {0}, and write {1} into it if the weights were converted to torch by transformers.</source>
        <translation>{0}(으)로 복사하고, transformers가 torch로 변환한 가중치라면 그 안에 {1}을(를) 적으세요.</translation>
    </message>
    <message>
        <source>Copy the whole folder, or save it again with save_to_disk.</source>
        <translation>폴더를 통째로 복사하거나, save_to_disk로 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Copying of pieces</source>
        <translation>조각 복사</translation>
    </message>
    <message>
        <source>Correct it, or put the config.json there that was saved with these weights.</source>
        <translation>그 값을 고치거나, 이 가중치와 함께 저장된 config.json을 그 자리에 두세요.</translation>
    </message>
    <message>
        <source>Correct the file, or write it again from where it came.</source>
        <translation>파일을 고치거나, 원래 프로그램에서 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Correct {0}.</source>
        <translation>{0}을(를) 고치세요.</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>코사인</translation>
    </message>
    <message>
        <source>Cross-attention goes from the tokens of a decoder to those of an encoder.</source>
        <translation>교차 어텐션은 디코더의 토큰에서 인코더의 토큰으로 갑니다.</translation>
    </message>
    <message>
        <source>Diagonal</source>
        <translation>대각선</translation>
    </message>
    <message>
        <source>Dimension {0}</source>
        <translation>차원 {0}</translation>
    </message>
    <message>
        <source>Division keeps the products from growing with the width of the head.</source>
        <translation>내적은 헤드의 차원이 클수록 커집니다. 그 제곱근으로 나누면 소프트맥스가 한쪽으로 쏠리지 않습니다.</translation>
    </message>
    <message>
        <source>Download the file itself: on the hub, by its “resolve” link.</source>
        <translation>파일 자체를 내려받으세요. 허브에서는 “resolve” 링크입니다.</translation>
    </message>
    <message>
        <source>Draw one of {0}.</source>
        <translation>{0} 중 하나를 그리세요.</translation>
    </message>
    <message>
        <source>Draw one that model.analyse returned.</source>
        <translation>model.analyse가 돌려준 결과를 그리세요.</translation>
    </message>
    <message>
        <source>Draw the panel as a matrix</source>
        <translation>패널을 행렬로 그리기</translation>
    </message>
    <message>
        <source>Draw the panel as arcs above the words</source>
        <translation>패널을 단어 위의 호로 그리기</translation>
    </message>
    <message>
        <source>Draw the panel as lines</source>
        <translation>패널을 연결선으로 그리기</translation>
    </message>
    <message>
        <source>Each ID picks a row of a table: one for the piece, the sentence and the place.</source>
        <translation>번호마다 표에서 행을 하나씩 고릅니다. 조각, 문장, 위치의 표입니다.</translation>
    </message>
    <message>
        <source>Each head is {0} numbers wide</source>
        <translation>헤드 하나의 너비는 {0}입니다</translation>
    </message>
    <message>
        <source>Each is a class with a probability of its own</source>
        <translation>하나하나가 따로 확률을 갖는 클래스</translation>
    </message>
    <message>
        <source>Each layer has {0} heads and as many convolutions beside them, whose results are in Steps.</source>
        <translation>레이어마다 헤드 {0}개와 같은 수의 합성곱이 나란히 있으며, 합성곱의 결과는 단계 보기에 있습니다.</translation>
    </message>
    <message>
        <source>Each number is multiplied and shifted as learned: MobileBERT normalises nothing here.</source>
        <translation>각 수에 학습한 값을 곱하고 더합니다. MobileBERT는 여기서 아무것도 정규화하지 않습니다.</translation>
    </message>
    <message>
        <source>Each number is multiplied with its gate.</source>
        <translation>각 수에 그 게이트를 곱합니다.</translation>
    </message>
    <message>
        <source>Each token ID picks its row of the table of token embeddings.</source>
        <translation>토큰 ID마다 토큰 임베딩 표에서 자기 행을 꺼냅니다.</translation>
    </message>
    <message>
        <source>Each token adds up its neighbours by weights that it makes of the words around it.</source>
        <translation>각 토큰이 주위 단어로 만든 가중치로 이웃을 더합니다.</translation>
    </message>
    <message>
        <source>Each token adds up its neighbours&apos; vectors, each times a learned matrix.</source>
        <translation>각 토큰이 이웃 토큰의 벡터에 학습한 행렬을 곱해 더합니다.</translation>
    </message>
    <message>
        <source>Each token asks: its query says what it looks for.</source>
        <translation>각 토큰이 던지는 질문입니다. 쿼리 벡터는 ‘이 토큰이 무엇을 찾는지’를 나타냅니다.</translation>
    </message>
    <message>
        <source>Each token by itself: widened, bent and narrowed again.</source>
        <translation>토큰마다 따로 넓히고, 구부리고, 다시 좁힙니다.</translation>
    </message>
    <message>
        <source>Each token is divided by its root mean square, so that all have the same size, then scaled as learned; no mean is subtracted (RMSNorm).</source>
        <translation>각 토큰을 제곱평균제곱근으로 나누어 크기를 같게 한 뒤, 학습된 배율을 곱합니다. 평균은 빼지 않습니다(RMSNorm).</translation>
    </message>
    <message>
        <source>Each token is normalised to mean 0 and standard deviation 1, then scaled as learned.</source>
        <translation>토큰마다 평균 0, 표준편차 1로 정규화한 다음 학습한 배율을 곱합니다.</translation>
    </message>
    <message>
        <source>Each token offers: its key says what it can be found by.</source>
        <translation>각 토큰이 내거는 이름표입니다. 키 벡터는 무엇으로 찾을 수 있는지 나타냅니다.</translation>
    </message>
    <message>
        <source>Each token offers: its key says what it can be found by. In this model several heads next to each other share their keys and values, and have queries of their own.</source>
        <translation>각 토큰이 내놓는 것: 키는 무엇으로 이 토큰을 찾을 수 있는지를 말합니다. 이 모델에서는 이웃한 헤드 여러 개가 키와 값을 함께 쓰고, 쿼리는 따로 가집니다.</translation>
    </message>
    <message>
        <source>Each token takes in something of the others, as much as its weights say.</source>
        <translation>토큰마다 다른 토큰에서 가중치만큼 받아들입니다.</translation>
    </message>
    <message>
        <source>Each token&apos;s vector goes through a dense layer, usually to a larger width.</source>
        <translation>토큰마다 벡터가 밀집 레이어를 거치며, 대개 너비가 몇 배로 늘어납니다.</translation>
    </message>
    <message>
        <source>Each value vector is multiplied by the attention weight of its token.</source>
        <translation>각 값 벡터에 그 토큰의 어텐션 가중치를 곱합니다.</translation>
    </message>
    <message>
        <source>Each vector is brought to the same scale.</source>
        <translation>벡터를 모두 같은 크기로 맞춥니다.</translation>
    </message>
    <message>
        <source>Each {0} numbers wide, which is unusual.</source>
        <translation>헤드 하나의 너비가 {0}입니다. 흔하지 않습니다.</translation>
    </message>
    <message>
        <source>Each {0} numbers wide.</source>
        <translation>헤드 하나의 너비는 {0}입니다.</translation>
    </message>
    <message>
        <source>Enter a number of 0 or more.</source>
        <translation>0 이상의 수를 입력하세요.</translation>
    </message>
    <message>
        <source>Enter a whole number.</source>
        <translation>정수를 입력하세요.</translation>
    </message>
    <message>
        <source>Entropy of the first token</source>
        <translation>첫 토큰의 엔트로피</translation>
    </message>
    <message>
        <source>Epsilon of the layer norms</source>
        <translation>레이어 정규화의 엡실론</translation>
    </message>
    <message>
        <source>Estimator of CKA</source>
        <translation>CKA의 추정량</translation>
    </message>
    <message>
        <source>Every label in column {0} has one row only: none can be held out.</source>
        <translation>{0} 열의 레이블마다 행이 하나뿐이라 검증용으로 남겨 둘 행이 없습니다.</translation>
    </message>
    <message>
        <source>Every matrix and vector of the checkpoint (E)</source>
        <translation>체크포인트의 모든 행렬과 벡터 (E)</translation>
    </message>
    <message>
        <source>Every number is brought between 0 and 1; 0 becomes one half.</source>
        <translation>모든 수가 0과 1 사이로 들어오고, 0은 0.5가 됩니다.</translation>
    </message>
    <message>
        <source>Every number is brought between 0 and 1; those below 0 become almost 0.</source>
        <translation>모든 수가 0과 1 사이로 들어오고, 0보다 작은 수는 거의 0이 됩니다.</translation>
    </message>
    <message>
        <source>Every number is brought between −1 and 1 and keeps its sign.</source>
        <translation>모든 수가 −1과 1 사이로 들어오고 부호는 그대로입니다.</translation>
    </message>
    <message>
        <source>Every weight after the query is 0: the model is causal. Those cells are hatched.</source>
        <translation>쿼리보다 뒤의 가중치가 모두 0인 인과 모델입니다. 그 칸에는 빗금을 쳤습니다.</translation>
    </message>
    <message>
        <source>Feed-forward, gate</source>
        <translation>피드포워드: 게이트</translation>
    </message>
    <message>
        <source>Feed-forward, narrower</source>
        <translation>피드포워드: 좁히는 층</translation>
    </message>
    <message>
        <source>Feed-forward, wider</source>
        <translation>피드포워드: 넓히는 층</translation>
    </message>
    <message>
        <source>Fetch or save the file again, or save it as CSV.</source>
        <translation>파일을 다시 받거나 다시 저장하고, 아니면 CSV로 저장하세요.</translation>
    </message>
    <message>
        <source>Fetch the file, which comes with the checkpoint, or give the folder of the tokenizer that the model was trained with: {0}.</source>
        <translation>체크포인트에 딸린 파일을 받거나, 이 모델을 학습한 토크나이저의 폴더를 주세요: {0}.</translation>
    </message>
    <message>
        <source>Figures are drawn on the main thread alone.</source>
        <translation>그림은 주 스레드에서만 그립니다.</translation>
    </message>
    <message>
        <source>File of the lens; empty: the one of this checkpoint</source>
        <translation>렌즈 파일 (비우면 이 체크포인트의 것)</translation>
    </message>
    <message>
        <source>Float64 agrees</source>
        <translation>배정밀도와 일치</translation>
    </message>
    <message>
        <source>Follow the links in the folder?</source>
        <translation>폴더 안의 링크를 따라갑니까?</translation>
    </message>
    <message>
        <source>Follow them</source>
        <translation>따라가기</translation>
    </message>
    <message>
        <source>Found by the best head; the line: by the best fixed offset</source>
        <translation>가장 잘 찾는 헤드의 비율, 세로줄은 가장 나은 고정 거리의 비율</translation>
    </message>
    <message>
        <source>From other packages</source>
        <translation>다른 패키지의 분석</translation>
    </message>
    <message>
        <source>GELU by tanh</source>
        <translation>tanh로 근사한 GELU</translation>
    </message>
    <message>
        <source>Give a column of 0 and 1 for each class.</source>
        <translation>클래스마다 0과 1로 된 열을 하나씩 주세요.</translation>
    </message>
    <message>
        <source>Give a column with one label for each text.</source>
        <translation>글마다 레이블이 하나씩 있는 열을 주세요.</translation>
    </message>
    <message>
        <source>Give a file of rows with a label and a text each.</source>
        <translation>행마다 레이블과 글이 있는 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Give a file of rows with texts.</source>
        <translation>글이 든 행이 있는 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Give a file of text, a sentence a line.</source>
        <translation>한 줄에 한 문장씩 적은 텍스트 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Give a file with more texts.</source>
        <translation>글이 더 많은 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with texts.</source>
        <translation>글이 든 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Give a file with the labels of the training data.</source>
        <translation>학습 데이터와 같은 레이블이 있는 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with two columns or more.</source>
        <translation>열이 두 개 이상인 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file with two labels or more.</source>
        <translation>레이블이 두 가지 이상인 파일을 주세요.</translation>
    </message>
    <message>
        <source>Give a file, or a folder with {0} and {1}.</source>
        <translation>파일, 또는 {0}과(와) {1}이(가) 있는 폴더를 주세요.</translation>
    </message>
    <message>
        <source>Give a list of numbers, such as {0}=[0, 3].</source>
        <translation>{0}=[0, 3]처럼 번호의 목록을 주세요.</translation>
    </message>
    <message>
        <source>Give a longer text.</source>
        <translation>더 긴 글을 주세요.</translation>
    </message>
    <message>
        <source>Give a second text or checkpoint.</source>
        <translation>둘째 글이나 다른 체크포인트를 주세요.</translation>
    </message>
    <message>
        <source>Give a shorter text.</source>
        <translation>더 짧은 글을 주세요.</translation>
    </message>
    <message>
        <source>Give another one as {0}, or save the file as UTF-8.</source>
        <translation>{0}(으)로 다른 인코딩을 정하거나 파일을 UTF-8로 저장하세요.</translation>
    </message>
    <message>
        <source>Give bertviz_app.Selection(layer=2, head=3), or a dict with these names.</source>
        <translation>bertviz_app.Selection(layer=2, head=3)이나 같은 이름을 가진 dict를 주세요.</translation>
    </message>
    <message>
        <source>Give decoder_tokens and encoder_tokens.</source>
        <translation>decoder_tokens와 encoder_tokens를 주세요.</translation>
    </message>
    <message>
        <source>Give each part to one of them.</source>
        <translation>부분마다 텐서 하나씩만 정하세요.</translation>
    </message>
    <message>
        <source>Give it as {0}, or in a file bertviz_app.json beside it; it is kept there.</source>
        <translation>{0}(으)로 지정하거나 체크포인트 옆의 bertviz_app.json 파일에 적으세요. 답은 그 파일에 저장됩니다.</translation>
    </message>
    <message>
        <source>Give it as {0}. The first row: {1}</source>
        <translation>{0}(으)로 정하세요. 첫 행: {1}</translation>
    </message>
    <message>
        <source>Give it as {0}: {1}.</source>
        <translation>{0}(으)로 정하세요: {1}.</translation>
    </message>
    <message>
        <source>Give it the attention of one text to itself.</source>
        <translation>한 글 안의 어텐션을 주세요.</translation>
    </message>
    <message>
        <source>Give more sentences, or a file to evaluate on.</source>
        <translation>문장을 더 주거나 평가할 파일을 따로 주세요.</translation>
    </message>
    <message>
        <source>Give more texts, or compare tokens.</source>
        <translation>글을 더 주거나 토큰을 비교하세요.</translation>
    </message>
    <message>
        <source>Give one array [L, H, T, T], or a list with an array [H, T, T] for each layer.</source>
        <translation>배열 [L, H, T, T] 하나나, 레이어마다 배열 [H, T, T]를 담은 목록을 주세요.</translation>
    </message>
    <message>
        <source>Give one attention at a time, not {0}.</source>
        <translation>어텐션은 한 번에 하나만 주세요. 지금은 {0}입니다.</translation>
    </message>
    <message>
        <source>Give one by its name, as {0}.</source>
        <translation>{0}처럼 이름으로 적으세요.</translation>
    </message>
    <message>
        <source>Give one from {0} to {1}.</source>
        <translation>{0}에서 {1} 사이의 수를 주세요.</translation>
    </message>
    <message>
        <source>Give one of these, or add it to include_layers.</source>
        <translation>이 가운데 하나를 주거나 include_layers에 더하세요.</translation>
    </message>
    <message>
        <source>Give one of {0}.</source>
        <translation>{0} 가운데 하나를 고르세요.</translation>
    </message>
    <message>
        <source>Give outputs.attentions: outputs[-1] is empty for some models of transformers 5.</source>
        <translation>outputs.attentions를 주세요. transformers 5에서는 일부 모델의 outputs[-1]이 비어 있습니다.</translation>
    </message>
    <message>
        <source>Give rows whose labels are numbers.</source>
        <translation>레이블이 수인 행을 주세요.</translation>
    </message>
    <message>
        <source>Give rows with different numbers.</source>
        <translation>값이 서로 다른 행을 주세요.</translation>
    </message>
    <message>
        <source>Give rows with labels.</source>
        <translation>레이블이 있는 행을 주세요.</translation>
    </message>
    <message>
        <source>Give some of these, or add it to include_heads.</source>
        <translation>이 가운데서 주거나 include_heads에 더하세요.</translation>
    </message>
    <message>
        <source>Give that of one: [layer[0] for layer in attention].</source>
        <translation>하나만 주세요: [layer[0] for layer in attention].</translation>
    </message>
    <message>
        <source>Give the folder of one: {0}.</source>
        <translation>그중 하나의 폴더를 주세요: {0}.</translation>
    </message>
    <message>
        <source>Give the ids that it was made of. {0}</source>
        <translation>그 출력을 만든 ID를 적어 주세요. {0}</translation>
    </message>
    <message>
        <source>Give the ids that the output was made of.</source>
        <translation>출력을 만든 ID를 적어 주세요.</translation>
    </message>
    <message>
        <source>Give the layers of one text.</source>
        <translation>한 글의 레이어들을 주세요.</translation>
    </message>
    <message>
        <source>Give the rows and the columns, as patches=(14, 14).</source>
        <translation>행과 열의 수를 patches=(14, 14)처럼 주세요.</translation>
    </message>
    <message>
        <source>Give the text instead of its file; --model names the checkpoint.</source>
        <translation>파일 대신 글을 주세요. 체크포인트는 --model로 정합니다.</translation>
    </message>
    <message>
        <source>Give the weights after the softmax, not its input.</source>
        <translation>소프트맥스의 입력이 아니라 그 뒤의 가중치를 주세요.</translation>
    </message>
    <message>
        <source>Give them as “4.2,5.0”: head 2 of layer 4 and head 0 of layer 5.</source>
        <translation>“4.2,5.0”처럼 쓰세요. 레이어 4의 헤드 2와 레이어 5의 헤드 0입니다.</translation>
    </message>
    <message>
        <source>Give weights after the softmax, of rows that are not masked.</source>
        <translation>마스크로 가려지지 않은 행의, 소프트맥스 뒤의 가중치를 주세요.</translation>
    </message>
    <message>
        <source>Give what is right, such as {0}.</source>
        <translation>맞는 값을 지정하세요. 예: {0}.</translation>
    </message>
    <message>
        <source>Give {0} (and of pairs {1}); the columns: {2}</source>
        <translation>{0}(문장 쌍이면 {1}도)을 정하세요. 열: {2}</translation>
    </message>
    <message>
        <source>Give {0} as one of {1}.</source>
        <translation>{0}을(를) {1} 가운데 하나로 정하세요.</translation>
    </message>
    <message>
        <source>Give {0} to measure the texts of one column, or {1} to measure whole lines as they stand.</source>
        <translation>한 열의 글을 재려면 {0}을(를), 줄을 있는 그대로 재려면 {1}을(를) 붙이세요.</translation>
    </message>
    <message>
        <source>Give {0} to measure the texts of one column.</source>
        <translation>한 열의 글을 재려면 {0}을(를) 붙이세요.</translation>
    </message>
    <message>
        <source>Give {0}; the columns: {1}</source>
        <translation>{0}을(를) 정하세요. 열: {1}</translation>
    </message>
    <message>
        <source>Give “attention”, or those of an encoder-decoder.</source>
        <translation>“attention”이나 인코더-디코더의 어텐션을 주세요.</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>격자</translation>
    </message>
    <message>
        <source>Head {0}</source>
        <translation>헤드 {0}</translation>
    </message>
    <message>
        <source>Head {0} is not on the page, whose layer {1} has the heads {2}.</source>
        <translation>헤드 {0}은(는) 페이지에 없습니다. 레이어 {1}에 있는 헤드: {2}.</translation>
    </message>
    <message>
        <source>Head {0} · {1} sees no later tokens: a token of the weight comes after its query.</source>
        <translation>헤드 {0} · {1}은(는) 뒤의 토큰을 보지 못합니다. 가중치를 줄 토큰이 쿼리보다 뒤에 있습니다.</translation>
    </message>
    <message>
        <source>Head {0} · {1} was pruned from this model.</source>
        <translation>헤드 {0} · {1}은(는) 이 모델에서 가지치기되었습니다.</translation>
    </message>
    <message>
        <source>Heads 0 and 2 of layer 1 are written as {0}.</source>
        <translation>레이어 1의 헤드 0과 2는 {0}(으)로 적습니다.</translation>
    </message>
    <message>
        <source>Heads by two measures</source>
        <translation>두 지표로 본 헤드</translation>
    </message>
    <message>
        <source>Heads in each layer</source>
        <translation>레이어마다 있는 헤드 수</translation>
    </message>
    <message>
        <source>Heads were pruned from {0}: it is not trained further here.</source>
        <translation>{0}은(는) 헤드가 가지치기되어 여기서 더 학습하지 않습니다.</translation>
    </message>
    <message>
        <source>Heads were pruned: {0}. The others keep their numbers; zeros stand for their weights.</source>
        <translation>가지치기된 헤드: {0}. 나머지 헤드의 번호는 그대로이며, 가지치기된 헤드의 가중치는 0으로 둡니다.</translation>
    </message>
    <message>
        <source>Hidden states and the pooled vector (V)</source>
        <translation>은닉 상태와 풀링 벡터 (V)</translation>
    </message>
    <message>
        <source>Hidden states; empty: all</source>
        <translation>은닉 상태 (비우면 모두)</translation>
    </message>
    <message>
        <source>How alike the vectors of each layer of one checkpoint and each of another one are arranged over the texts of a file, from 0 to 1.</source>
        <translation>파일의 글 전체에서 한 체크포인트의 각 레이어와 다른 체크포인트의 각 레이어의 벡터가 얼마나 비슷하게 놓여 있는지를 0에서 1까지로 나타냅니다.</translation>
    </message>
    <message>
        <source>How alike the vectors of each two layers are arranged over the texts of a file, from 0 to 1.</source>
        <translation>파일의 글 전체에서 두 레이어의 벡터가 얼마나 비슷하게 놓여 있는지를 0에서 1까지로 나타냅니다.</translation>
    </message>
    <message>
        <source>How are the matrices stored?</source>
        <translation>행렬은 어떻게 저장되어 있나요?</translation>
    </message>
    <message>
        <source>If another config.json was saved with these weights, put that one beside them.</source>
        <translation>이 가중치와 함께 저장된 config.json이 따로 있으면 그것을 곁에 두세요.</translation>
    </message>
    <message>
        <source>If its training changed that length, let “max_position_embeddings” in {0} be {1}.</source>
        <translation>학습에서 그 길이를 바꾸었다면 {0}의 “max_position_embeddings”를 {1}(으)로 적으세요.</translation>
    </message>
    <message>
        <source>If the model&apos;s forward does not use it, give it the part “unused” (--parts FILE); else the model cannot be computed here.</source>
        <translation>모델의 forward가 이것을 쓰지 않는다면 ‘unused’로 정하세요(--parts FILE). 쓴다면 이 모델은 여기서 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>If you trust it, save its weights alone where its code is, and open them, or ask for {0}: {1}</source>
        <translation>신뢰하는 파일이라면 그 코드가 있는 곳에서 가중치만 따로 저장하여 열거나, {0}을(를) 요청하세요: {1}</translation>
    </message>
    <message>
        <source>If you trust it, save its weights alone, and open them: {0}.</source>
        <translation>신뢰하는 파일이라면 가중치만 따로 저장하여 여세요: {0}.</translation>
    </message>
    <message>
        <source>In texts of more than {0} tokens a token attends to blocks of {1}: the first, the last, its own and the two beside it.</source>
        <translation>토큰이 {0}개를 넘는 글에서 토큰은 토큰 {1}개씩의 블록 가운데 첫 블록, 마지막 블록, 자기 블록과 양옆 블록에만 주의를 둡니다.</translation>
    </message>
    <message>
        <source>In their order, with commas between them. Without names they are numbered.</source>
        <translation>순서대로, 쉼표로 나누어 적습니다. 이름이 없으면 번호로 보입니다.</translation>
    </message>
    <message>
        <source>In {0} column {1} has labels such as “{2}”: one label, or several.</source>
        <translation>{0}의 {1} 열에 “{2}” 같은 레이블이 있습니다. 레이블 하나일 수도, 여러 개일 수도 있습니다.</translation>
    </message>
    <message>
        <source>In {0} column {1} has lists or objects that are no labels of texts: {2}.</source>
        <translation>{0}의 {1} 열에 글의 레이블이 아닌 목록이나 객체가 있습니다: {2}.</translation>
    </message>
    <message>
        <source>In {0} column {1} has {2} whole numbers: classes, or scores.</source>
        <translation>{0}의 {1} 열에 정수가 {2}가지 있습니다. 클래스일 수도, 점수일 수도 있습니다.</translation>
    </message>
    <message>
        <source>In {0} several columns may be the label: {1}.</source>
        <translation>{0}에는 레이블일 수 있는 열이 여럿입니다: {1}.</translation>
    </message>
    <message>
        <source>In {0} several columns may be the text: {1}.</source>
        <translation>{0}에는 글일 수 있는 열이 여럿입니다: {1}.</translation>
    </message>
    <message>
        <source>Install it with: {0}. Or save the file as CSV or JSON lines.</source>
        <translation>다음 명령으로 설치하세요: {0}. 아니면 파일을 CSV나 JSON Lines로 저장하세요.</translation>
    </message>
    <message>
        <source>Is it the column of the labels? Otherwise give more rows, or rows to evaluate on.</source>
        <translation>이 열이 레이블이 맞나요? 맞다면 행을 더 주거나 평가할 행을 따로 주세요.</translation>
    </message>
    <message>
        <source>Is text made lower-case first?</source>
        <translation>먼저 소문자로 바꿉니까?</translation>
    </message>
    <message>
        <source>Is the adapter added to the weights?</source>
        <translation>어댑터를 가중치에 더합니까?</translation>
    </message>
    <message>
        <source>It has one picture alone.</source>
        <translation>그림이 하나뿐입니다.</translation>
    </message>
    <message>
        <source>It has several dense layers; this is applied between them.</source>
        <translation>밀집 레이어가 여럿입니다. 그 사이에 적용됩니다.</translation>
    </message>
    <message>
        <source>It has {0} layers: if the model has as many, let “{1}” in config.json be {0}.</source>
        <translation>파일에 층이 {0}개 있습니다. 모델의 층도 그만큼이면 config.json의 “{1}”을(를) {0}(으)로 하세요.</translation>
    </message>
    <message>
        <source>It has {0} pieces, the model&apos;s table {1}: if it is another tokenizer than the model was trained with, every number is wrong.</source>
        <translation>이 토크나이저의 조각은 {0}개, 모델의 표는 {1}행입니다. 모델을 학습한 토크나이저가 아니라면 모든 수가 틀립니다.</translation>
    </message>
    <message>
        <source>It is above 0 and below 1.</source>
        <translation>0보다 크고 1보다 작아야 합니다.</translation>
    </message>
    <message>
        <source>It is heads, each with its layer before it: {0}.</source>
        <translation>헤드들입니다. 헤드마다 레이어를 앞에 씁니다: {0}.</translation>
    </message>
    <message>
        <source>It is not certain which part of the model these tensors are: {0}.</source>
        <translation>이 텐서들이 모델의 어느 부분인지 확실하지 않습니다: {0}.</translation>
    </message>
    <message>
        <source>It is not known which part of the model these tensors are: {0}.</source>
        <translation>이 텐서들이 모델의 어느 부분인지 알 수 없습니다: {0}.</translation>
    </message>
    <message>
        <source>It reads {0} tokens at most.</source>
        <translation>이 모델은 토큰을 {0}개까지 읽습니다.</translation>
    </message>
    <message>
        <source>It says that two layers arrange the same vectors alike, whatever turn or scale is between them, not that they compute the same; a few very large dimensions may decide it. The biased estimator is too high where there are few vectors for the width, and tokens of one text are no independent sample.</source>
        <translation>두 레이어가 회전과 배율을 빼면 같은 벡터들을 비슷하게 늘어놓는다는 뜻이지, 같은 계산을 한다는 뜻은 아닙니다. 아주 큰 차원 몇 개가 값을 좌우할 수 있습니다. 편향 추정량은 너비에 비해 벡터가 적으면 너무 크게 나오며, 한 글의 토큰들은 독립 표본이 아닙니다.</translation>
    </message>
    <message>
        <source>Its attention and its feed-forward parts are numbered as layers of their own, in turn: {0}. Such layers cannot be read.</source>
        <translation>어텐션 부분과 피드포워드 부분이 번갈아 서로 다른 레이어로 번호가 매겨져 있습니다: {0}. 이런 레이어는 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>Its code comes with the checkpoint ({0}) and is not run: what the model computes is not known here.</source>
        <translation>체크포인트에 딸린 코드({0})는 실행하지 않으므로 이 모델이 무엇을 계산하는지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Its dense layers in groups are whole matrices here, with zeros between the groups, which count among the parameters.</source>
        <translation>그룹으로 나뉜 밀집층을 여기서는 그룹 사이를 0으로 채운 행렬로 보이며, 이 0도 매개변수의 수에 들어갑니다.</translation>
    </message>
    <message>
        <source>Its languages are: {0}.</source>
        <translation>언어는 다음과 같습니다: {0}.</translation>
    </message>
    <message>
        <source>Its sentence vector is the last hidden state of the last token, &lt;|endoftext|&gt;, projected where the file has text_projection.</source>
        <translation>문장 벡터는 마지막 토큰 &lt;|endoftext|&gt;의 마지막 은닉 상태이며, 파일에 text_projection이 있으면 그 행렬로 사영합니다.</translation>
    </message>
    <message>
        <source>Its themes are: {0}.</source>
        <translation>테마는 다음과 같습니다: {0}.</translation>
    </message>
    <message>
        <source>Its views are: {0}.</source>
        <translation>보기는 다음과 같습니다: {0}.</translation>
    </message>
    <message>
        <source>Its {0} random blocks are the first block again, as transformers has it outside of training: the first block counts {1} times.</source>
        <translation>무작위 블록 {0}개의 자리에는 학습이 아닐 때의 transformers처럼 첫 블록이 다시 들어가므로, 첫 블록은 {1}번 셉니다.</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON Lines(한 줄에 한 행)</translation>
    </message>
    <message>
        <source>Join the parts, and open what that writes: {0}.</source>
        <translation>다음 명령으로 조각을 합친 뒤 만들어진 파일을 여세요: {0}.</translation>
    </message>
    <message>
        <source>Keras&apos;</source>
        <translation>Keras 형식</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>LUKE reads entities beside words: here words are read alone, as transformers reads them.</source>
        <translation>LUKE는 단어와 함께 개체도 읽습니다. 여기서는 개체가 주어지지 않은 transformers처럼 단어만 읽습니다.</translation>
    </message>
    <message>
        <source>Label and its class, as pos=1, neg=0; empty: by their names</source>
        <translation>레이블과 클래스, 예: pos=1, neg=0 (비우면 이름으로)</translation>
    </message>
    <message>
        <source>Label “{0}”</source>
        <translation>정답 “{0}”</translation>
    </message>
    <message>
        <source>Large negative numbers become almost 0, large positive ones pass almost unchanged.</source>
        <translation>큰 음수는 거의 0이 되고, 큰 양수는 거의 그대로 지나갑니다.</translation>
    </message>
    <message>
        <source>Large negative numbers become almost 0; nothing becomes larger than 10.</source>
        <translation>큰 음수는 거의 0이 되고, 어떤 수도 10을 넘지 않습니다.</translation>
    </message>
    <message>
        <source>Layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>Layer {0} has attention of {1} texts.</source>
        <translation>레이어 {0}에 글 {1}개의 어텐션이 있습니다.</translation>
    </message>
    <message>
        <source>Layer {0} has the heads {1}.</source>
        <translation>층 {0}에는 헤드 {1}이(가) 있습니다.</translation>
    </message>
    <message>
        <source>Layer {0} is itself a list: model.generate returns one for a token.</source>
        <translation>레이어 {0}이(가) 다시 목록입니다. model.generate는 토큰마다 하나씩 돌려줍니다.</translation>
    </message>
    <message>
        <source>Layer {0} is not on the page, which has the layers {1}.</source>
        <translation>레이어 {0}은(는) 페이지에 없습니다. 페이지에 있는 레이어: {1}.</translation>
    </message>
    <message>
        <source>Layer {0} is of {1} tokens, layer 0 of {2}.</source>
        <translation>레이어 {0}은(는) {1} 토큰, 레이어 0은 {2} 토큰입니다.</translation>
    </message>
    <message>
        <source>Layer {0} of the attention is {1}, not [H, T, T].</source>
        <translation>어텐션의 레이어 {0}이(가) [H, T, T]가 아니라 {1}입니다.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Leave it behind the station that it goes on from.</source>
        <translation>이어받는 장면 바로 뒤에 두세요.</translation>
    </message>
    <message>
        <source>Leave it out</source>
        <translation>쓰지 않기</translation>
    </message>
    <message>
        <source>Leave out --as: it says how an analysis is drawn.</source>
        <translation>--as를 빼세요. 분석을 어떤 보기로 그릴지 정하는 옵션입니다.</translation>
    </message>
    <message>
        <source>Leave out the height: the figure is then as high as its labels need.</source>
        <translation>높이를 빼세요. 그러면 이름에 필요한 만큼 높아집니다.</translation>
    </message>
    <message>
        <source>Left out, as “unused” parts: {0}.</source>
        <translation>‘unused’로 정해 쓰지 않는 것: {0}.</translation>
    </message>
    <message>
        <source>Let “default_language” in a copy of config.json be the language of your texts: {0}.</source>
        <translation>config.json의 사본에서 “default_language”를 글의 언어로 정하세요: {0}.</translation>
    </message>
    <message>
        <source>Likely: its vocabulary has no capital letters.</source>
        <translation>그런 듯합니다. 어휘에 대문자가 없습니다.</translation>
    </message>
    <message>
        <source>Line {0} has half a character (a lone surrogate).</source>
        <translation>{0}번째 줄에 반쪽짜리 문자(짝이 없는 서로게이트)가 있습니다.</translation>
    </message>
    <message>
        <source>Line {0} has no word.</source>
        <translation>{0}번째 줄에 단어가 없습니다.</translation>
    </message>
    <message>
        <source>Line {0} has {1} labels instead of one.</source>
        <translation>{0}번째 줄에는 레이블이 하나가 아니라 {1}개입니다.</translation>
    </message>
    <message>
        <source>Line {0} is not {1}.</source>
        <translation>{0}번째 줄은 {1}이(가) 아닙니다.</translation>
    </message>
    <message>
        <source>Line {0} repeats the names of the columns.</source>
        <translation>{0}번째 줄은 열 이름을 되풀이합니다.</translation>
    </message>
    <message>
        <source>Line {0}: “{1}” in column {2} is neither 0 nor 1.</source>
        <translation>{0}번째 줄: {2} 열의 “{1}”은(는) 0도 1도 아닙니다.</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>연결선</translation>
    </message>
    <message>
        <source>Load it with attn_implementation=&quot;eager&quot; and call it with output_attentions=True.</source>
        <translation>attn_implementation=&quot;eager&quot;로 불러오고 output_attentions=True로 호출하세요.</translation>
    </message>
    <message>
        <source>Load the model with its weights, and save it again.</source>
        <translation>가중치와 함께 모델을 불러와 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Load the model with its weights.</source>
        <translation>모델을 가중치와 함께 불러오세요.</translation>
    </message>
    <message>
        <source>Logit by biases</source>
        <translation>편향별 로짓</translation>
    </message>
    <message>
        <source>Logit by feed-forward part</source>
        <translation>피드포워드별 로짓</translation>
    </message>
    <message>
        <source>Logit by head</source>
        <translation>헤드별 로짓</translation>
    </message>
    <message>
        <source>Look for math.sqrt(d_model) where the embedding is called.</source>
        <translation>임베딩을 부르는 곳에서 math.sqrt(d_model)을 찾아보세요.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Lower end</source>
        <translation>아래 끝</translation>
    </message>
    <message>
        <source>Make it a QApplication.</source>
        <translation>QApplication으로 만드세요.</translation>
    </message>
    <message>
        <source>Make it wider, hide or join tokens (hides_special, joins_words), or shorten the text.</source>
        <translation>더 넓게 하거나, 토큰을 숨기거나 합치거나(hides_special, joins_words), 글을 줄이세요.</translation>
    </message>
    <message>
        <source>Make them: figure, axes = matplotlib.pyplot.subplots().</source>
        <translation>이렇게 만드세요: figure, axes = matplotlib.pyplot.subplots().</translation>
    </message>
    <message>
        <source>Make your choice in {0}, below the first rows.</source>
        <translation>첫 행들 아래의 {0}에서 고르세요.</translation>
    </message>
    <message>
        <source>Map of heads</source>
        <translation>헤드 지도</translation>
    </message>
    <message>
        <source>Masked head: dense layer</source>
        <translation>마스크 헤드: 선형층</translation>
    </message>
    <message>
        <source>Masked head: norm</source>
        <translation>마스크 헤드: 정규화</translation>
    </message>
    <message>
        <source>Masked head: to the vocabulary</source>
        <translation>마스크 헤드: 어휘로</translation>
    </message>
    <message>
        <source>Matching of pieces</source>
        <translation>조각 짝짓기</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>행렬</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>최댓값</translation>
    </message>
    <message>
        <source>MeCab reads a text up to a NUL (U+0000) only, and this one has a NUL.</source>
        <translation>MeCab은 글을 NUL(U+0000) 앞까지만 읽는데, 이 글에는 NUL이 있습니다.</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>Mean change of the outcome</source>
        <translation>결과의 평균 변화</translation>
    </message>
    <message>
        <source>Mean of all heads</source>
        <translation>모든 헤드의 평균</translation>
    </message>
    <message>
        <source>Measure the file that they are to be of.</source>
        <translation>예문을 얻을 파일을 측정하세요.</translation>
    </message>
    <message>
        <source>Measure the texts again with the checkpoint as it is now.</source>
        <translation>지금의 체크포인트로 글을 다시 측정하세요.</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>중앙값</translation>
    </message>
    <message>
        <source>MosaicBERT&apos;s gated layers have GELU; {0} in config.json is “{1}”.</source>
        <translation>MosaicBERT의 게이트 층은 GELU를 쓰는데, config.json의 {0} 값은 “{1}”입니다.</translation>
    </message>
    <message>
        <source>Most frequent label</source>
        <translation>가장 흔한 레이블</translation>
    </message>
    <message>
        <source>Name both: decoder_tokens and encoder_tokens, with cross_attention.</source>
        <translation>cross_attention과 함께 decoder_tokens와 encoder_tokens를 모두 주세요.</translation>
    </message>
    <message>
        <source>Name each token, special ones and padding among them.</source>
        <translation>특수 토큰과 패딩까지 모든 토큰의 이름을 주세요.</translation>
    </message>
    <message>
        <source>Names of the classes</source>
        <translation>클래스의 이름</translation>
    </message>
    <message>
        <source>Nearest candidate</source>
        <translation>가장 가까운 후보</translation>
    </message>
    <message>
        <source>Nearest same word</source>
        <translation>가장 가까운 같은 단어</translation>
    </message>
    <message>
        <source>Negative numbers become 0, positive ones are squared.</source>
        <translation>음수는 0이 되고, 양수는 제곱이 됩니다.</translation>
    </message>
    <message>
        <source>Negative numbers become 0, positive ones pass unchanged up to 6.</source>
        <translation>음수는 0이 되고, 양수는 6까지 그대로 지나갑니다.</translation>
    </message>
    <message>
        <source>Negative numbers become 0, positive ones pass unchanged.</source>
        <translation>음수는 0이 되고, 양수는 그대로 지나갑니다.</translation>
    </message>
    <message>
        <source>Negative numbers become a hundred times smaller, positive ones pass unchanged.</source>
        <translation>음수는 100분의 1로 줄고, 양수는 그대로 지나갑니다.</translation>
    </message>
    <message>
        <source>No</source>
        <translation>아니요</translation>
    </message>
    <message>
        <source>No column says whether a text has these classes: {0}.</source>
        <translation>글이 이 클래스에 속하는지 알려 주는 열이 없습니다: {0}.</translation>
    </message>
    <message>
        <source>No file says whether texts are made lower-case: they are, as in transformers. But {0} has capital letters or whole syllables; if the model reads texts as they are written, answer that: {1} on the command line, {2} in Python, “Answers about this checkpoint …” in the window.</source>
        <translation>글을 소문자로 바꾸는지 알려 주는 파일이 없어 transformers처럼 소문자로 바꿉니다. 그런데 {0}에 대문자나 온전한 한글 음절이 있습니다. 모델이 글을 쓰인 그대로 읽는다면 그렇게 답하세요. 명령줄에서는 {1}, 파이썬에서는 {2}, 창에서는 “이 체크포인트에 대한 답 …”을 씁니다.</translation>
    </message>
    <message>
        <source>No probabilities are shown</source>
        <translation>확률을 보이지 않습니다</translation>
    </message>
    <message>
        <source>No public code is known that names its weights so: it is computed as BERT is, with the answers given. A comparison with an output of your own code ({0}) shows whether that is right.</source>
        <translation>가중치의 이름이 이런 공개 코드는 알려진 것이 없습니다. 주어진 답에 따라 BERT처럼 계산합니다. 직접 짠 코드의 출력과 견주면({0}) 맞는지 알 수 있습니다.</translation>
    </message>
    <message>
        <source>No row of {0} has a label.</source>
        <translation>{0}의 어느 행에도 레이블이 없습니다.</translation>
    </message>
    <message>
        <source>No tensor of the file has the part {0}.</source>
        <translation>파일의 어느 텐서도 {0} 부분이 아닙니다.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Norm after the last layer</source>
        <translation>마지막 레이어 뒤의 정규화</translation>
    </message>
    <message>
        <source>Norm of the attention</source>
        <translation>어텐션의 정규화</translation>
    </message>
    <message>
        <source>Norm of the embeddings</source>
        <translation>임베딩의 정규화</translation>
    </message>
    <message>
        <source>Norm of the feed-forward part</source>
        <translation>피드포워드의 정규화</translation>
    </message>
    <message>
        <source>Not all rows of these weights add up to 1: their sums are {0} to {1}.</source>
        <translation>이 가중치의 행이 모두 합이 1인 것은 아닙니다. 합은 {0}에서 {1}까지입니다.</translation>
    </message>
    <message>
        <source>Not used with words alone: the tables of entities, and the queries w2e_query, e2w_query and e2e_query.</source>
        <translation>단어만 읽을 때는 개체의 표와 쿼리 w2e_query, e2w_query, e2e_query를 쓰지 않습니다.</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>나누지 않음</translation>
    </message>
    <message>
        <source>Nothing changes: this model has no activation here.</source>
        <translation>달라지는 것이 없습니다. 이 모델의 이 자리에는 활성화 함수가 없습니다.</translation>
    </message>
    <message>
        <source>Nothing shows the encoding of {0}.</source>
        <translation>{0}의 인코딩을 알 수 없습니다.</translation>
    </message>
    <message>
        <source>OV directions</source>
        <translation>OV 방향 수</translation>
    </message>
    <message>
        <source>OV positive</source>
        <translation>OV 양의 몫</translation>
    </message>
    <message>
        <source>OV size</source>
        <translation>OV 크기</translation>
    </message>
    <message>
        <source>Of these names some are files, and “{0}” is none.</source>
        <translation>이 이름들 가운데 몇은 파일이지만 “{0}”은(는) 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>One class of several: the probabilities sum to 1</source>
        <translation>여럿 가운데 한 클래스: 확률의 합이 1</translation>
    </message>
    <message>
        <source>One dense layer brings the result back to the width of the layer&apos;s input.</source>
        <translation>밀집 레이어 하나가 결과를 레이어 입력의 너비로 되돌립니다.</translation>
    </message>
    <message>
        <source>One dense layer mixes the outputs of the heads.</source>
        <translation>밀집 레이어 하나가 헤드들의 출력을 섞습니다.</translation>
    </message>
    <message>
        <source>One dense layer widens the token&apos;s embedding; in a trigram those of its neighbours join it.</source>
        <translation>밀집 레이어 하나가 토큰 임베딩을 넓힙니다. 트라이그램이면 양옆 토큰의 임베딩도 함께 들어갑니다.</translation>
    </message>
    <message>
        <source>One layer reads what the other returns</source>
        <translation>한 레이어가 다른 레이어의 출력을 그대로 읽습니다</translation>
    </message>
    <message>
        <source>One more dense layer, for the vector of the first token alone.</source>
        <translation>첫 토큰의 벡터만 거치는 밀집 레이어 하나입니다.</translation>
    </message>
    <message>
        <source>One more matrix and tanh make the vector that tasks about the whole text read.</source>
        <translation>행렬 하나와 tanh를 더 거쳐, 글 전체에 대한 과제가 읽는 벡터가 됩니다.</translation>
    </message>
    <message>
        <source>Only a text that is shorter than the other of its batch is padded.</source>
        <translation>배치의 다른 글보다 짧은 글만 패딩합니다.</translation>
    </message>
    <message>
        <source>Open a Korean checkpoint with a tokenizer that is read, such as {0}. Renamed to {1}, the list would give other IDs than the model was trained with.</source>
        <translation>{0}처럼 읽을 수 있는 토크나이저가 있는 한국어 체크포인트를 여세요. 목록의 이름을 {1}(으)로 바꾸면 모델이 학습한 것과 다른 ID가 됩니다.</translation>
    </message>
    <message>
        <source>Open a checkpoint and type a text to see those.</source>
        <translation>그것을 보려면 체크포인트를 열고 글을 입력하세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint and type a text.</source>
        <translation>체크포인트를 열고 글을 입력하세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint of a family that is known: {0}.</source>
        <translation>알려진 계열의 체크포인트를 여세요: {0}.</translation>
    </message>
    <message>
        <source>Open a checkpoint that says which model it is.</source>
        <translation>어떤 모델인지 적혀 있는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint with another tokenizer.</source>
        <translation>다른 토크나이저를 쓰는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a checkpoint without adapters.</source>
        <translation>어댑터가 없는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open a model that has a head.</source>
        <translation>헤드가 있는 모델을 여세요.</translation>
    </message>
    <message>
        <source>Open it: window(trace).</source>
        <translation>window(trace)로 여세요.</translation>
    </message>
    <message>
        <source>Open one without, such as {0}.</source>
        <translation>그것이 없는 체크포인트를 여세요. 예: {0}.</translation>
    </message>
    <message>
        <source>Open that checkpoint, or make a lens of this one.</source>
        <translation>그 체크포인트를 열거나 이 체크포인트의 렌즈를 만드세요.</translation>
    </message>
    <message>
        <source>Open the checkpoint that was quantised, in full precision.</source>
        <translation>양자화하기 전의 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Open the folder of a checkpoint, or a file that torch or safetensors wrote.</source>
        <translation>체크포인트 폴더나 torch 또는 safetensors가 저장한 파일을 여세요.</translation>
    </message>
    <message>
        <source>Open the model as it was before heads were pruned.</source>
        <translation>헤드를 가지치기하기 전의 모델을 여세요.</translation>
    </message>
    <message>
        <source>Other run</source>
        <translation>다른 실행</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>그 밖의 코드</translation>
    </message>
    <message>
        <source>Outcome as tokens are masked</source>
        <translation>토큰을 가려 갈 때의 결과</translation>
    </message>
    <message>
        <source>Outcome as tokens are shown</source>
        <translation>토큰을 보여 갈 때의 결과</translation>
    </message>
    <message>
        <source>Outcome by the number of tokens</source>
        <translation>토큰 수에 따른 결과</translation>
    </message>
    <message>
        <source>Output of the attention</source>
        <translation>어텐션의 출력</translation>
    </message>
    <message>
        <source>Over {0} vectors.</source>
        <translation>벡터 {0}개로 구했습니다.</translation>
    </message>
    <message>
        <source>Panels and cards as they are now</source>
        <translation>지금 보이는 패널과 카드</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>Parts add up to the whole</source>
        <translation>부분의 합이 전체와 일치</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>무늬</translation>
    </message>
    <message>
        <source>Patterns of heads (this program&apos;s rule)</source>
        <translation>헤드의 무늬(이 프로그램의 규칙)</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>Picture: a detector of the feed-forward part</source>
        <translation>그림: 피드포워드의 탐지기 하나</translation>
    </message>
    <message>
        <source>Picture: all heads</source>
        <translation>그림: 모든 헤드</translation>
    </message>
    <message>
        <source>Picture: arcs above the words</source>
        <translation>그림: 단어 위의 호</translation>
    </message>
    <message>
        <source>Picture: from the scores to the softmax</source>
        <translation>그림: 점수에서 소프트맥스까지</translation>
    </message>
    <message>
        <source>Picture: how a word is cut into pieces</source>
        <translation>그림: 단어가 조각으로 나뉘는 과정</translation>
    </message>
    <message>
        <source>Picture: how alike the pair becomes, layer by layer</source>
        <translation>그림: 두 토큰이 레이어마다 닮아 가는 정도</translation>
    </message>
    <message>
        <source>Picture: how far the scores spread</source>
        <translation>그림: 점수가 퍼진 정도</translation>
    </message>
    <message>
        <source>Picture: how the outputs of the heads are joined</source>
        <translation>그림: 헤드의 출력을 이어 붙이는 과정</translation>
    </message>
    <message>
        <source>Picture: query, key and value of a word</source>
        <translation>그림: 한 단어의 쿼리, 키, 값</translation>
    </message>
    <message>
        <source>Picture: the embeddings of the pair side by side</source>
        <translation>그림: 나란히 놓은 두 토큰의 임베딩</translation>
    </message>
    <message>
        <source>Picture: the matrix, with both weights of the pair</source>
        <translation>그림: 두 토큰의 가중치를 양쪽으로 짚은 행렬</translation>
    </message>
    <message>
        <source>Picture: the row of the table that a token picks</source>
        <translation>그림: 토큰이 표에서 고르는 행</translation>
    </message>
    <message>
        <source>Picture: the three embeddings and their sum</source>
        <translation>그림: 세 임베딩과 그 합</translation>
    </message>
    <message>
        <source>Picture: the vectors of the words after each layer</source>
        <translation>그림: 레이어마다 그다음의 단어 벡터</translation>
    </message>
    <message>
        <source>Picture: the way of the first token to the output</source>
        <translation>그림: 첫 토큰이 출력이 되기까지</translation>
    </message>
    <message>
        <source>Picture: tokens with their three numbers</source>
        <translation>그림: 토큰과 토큰의 세 수</translation>
    </message>
    <message>
        <source>Picture: what a word looks at, as bars</source>
        <translation>그림: 한 단어가 보는 것을 나타낸 막대</translation>
    </message>
    <message>
        <source>Picture: what dropout drops</source>
        <translation>그림: 드롭아웃이 버리는 것</translation>
    </message>
    <message>
        <source>Picture: what each word adds to the query</source>
        <translation>그림: 단어마다 쿼리에 더하는 것</translation>
    </message>
    <message>
        <source>Picture: what is expected at the hidden word</source>
        <translation>그림: 가린 단어 자리에 예상되는 것</translation>
    </message>
    <message>
        <source>Picture: what the classifier answers</source>
        <translation>그림: 분류기의 답</translation>
    </message>
    <message>
        <source>Picture: what the norm does to the numbers of a word</source>
        <translation>그림: 정규화가 한 단어의 수에 하는 일</translation>
    </message>
    <message>
        <source>Pooled</source>
        <translation>풀링 벡터</translation>
    </message>
    <message>
        <source>Pooler</source>
        <translation>풀러</translation>
    </message>
    <message>
        <source>Position embeddings</source>
        <translation>위치 임베딩</translation>
    </message>
    <message>
        <source>Position {0}</source>
        <translation>위치 {0}</translation>
    </message>
    <message>
        <source>Pruned heads are not computed in a model with {0}.</source>
        <translation>{0}이(가) 있는 모델에서는 가지치기된 헤드를 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>Put the config.json of the checkpoint that the training began from beside them.</source>
        <translation>학습을 시작한 체크포인트의 config.json을 옆에 두세요.</translation>
    </message>
    <message>
        <source>Put the file itself into the folder, or allow its links: {0}.</source>
        <translation>파일 자체를 폴더에 넣거나 링크를 허용하세요: {0}.</translation>
    </message>
    <message>
        <source>Put them back, or measure the texts again where they are now.</source>
        <translation>제자리에 돌려놓거나, 지금 있는 곳에서 글을 다시 측정하세요.</translation>
    </message>
    <message>
        <source>PyTorch, the default</source>
        <translation>PyTorch의 기본값</translation>
    </message>
    <message>
        <source>QK directions</source>
        <translation>QK 방향 수</translation>
    </message>
    <message>
        <source>QK positive</source>
        <translation>QK 양의 몫</translation>
    </message>
    <message>
        <source>QK size</source>
        <translation>QK 크기</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>Query, key, value: head by head</source>
        <translation>쿼리, 키, 값: 헤드마다 번갈아</translation>
    </message>
    <message>
        <source>Query, key, value: one below the other</source>
        <translation>쿼리, 키, 값: 차례로 쌓임</translation>
    </message>
    <message>
        <source>Random labels</source>
        <translation>무작위 레이블</translation>
    </message>
    <message>
        <source>Random labels of texts can only be memorised: probes trained on shuffled labels reach {0}.</source>
        <translation>글에 붙인 무작위 레이블은 외울 수밖에 없습니다. 레이블을 섞어 학습한 프로브는 {0}입니다.</translation>
    </message>
    <message>
        <source>Rank correlation of methods (Spearman)</source>
        <translation>방법 사이의 순위 상관(스피어만)</translation>
    </message>
    <message>
        <source>Read the files that the links lead to</source>
        <translation>링크가 가리키는 파일 읽기</translation>
    </message>
    <message>
        <source>Real labels</source>
        <translation>진짜 레이블</translation>
    </message>
    <message>
        <source>Receivers, as 4.2,5.0</source>
        <translation>받는 헤드, 예: 4.2,5.0</translation>
    </message>
    <message>
        <source>Remove it: the examples are collected again.</source>
        <translation>지우면 예문을 다시 모읍니다.</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>맞음</translation>
    </message>
    <message>
        <source>Row {0} of its position embeddings is all zeros, as that of padding is: positions begin with row {1}, unless it is answered otherwise.</source>
        <translation>위치 임베딩의 {0}번 행이 패딩의 행처럼 모두 0이므로, 다르게 답하지 않으면 위치는 {1}번 행부터 셉니다.</translation>
    </message>
    <message>
        <source>Row {0} of {1} is not as others: some of its cells are empty.</source>
        <translation>{1}의 {0}번째 행은 다른 행과 다릅니다. 빈칸이 있습니다.</translation>
    </message>
    <message>
        <source>Rows add up to 1</source>
        <translation>각 행의 합은 1</translation>
    </message>
    <message>
        <source>Rows are states of this checkpoint, columns those of the other one.</source>
        <translation>행은 이 체크포인트의 상태, 열은 다른 체크포인트의 상태입니다.</translation>
    </message>
    <message>
        <source>Rows in which it leads to the antecedent</source>
        <translation>선행사를 찾은 행의 비율</translation>
    </message>
    <message>
        <source>Run A is attention weights alone: no checkpoint is there to encode run B.</source>
        <translation>실행 A는 어텐션 가중치뿐이어서 실행 B를 인코딩할 체크포인트가 없습니다.</translation>
    </message>
    <message>
        <source>Run B has no outcome to compare with: it lacks the predicted token.</source>
        <translation>실행 B에는 예측할 토큰이 없어서 비교할 결과가 없습니다.</translation>
    </message>
    <message>
        <source>Run the study “{0}”: it leaves such heads out.</source>
        <translation>“{0}” 연구를 실행하세요. 그런 헤드는 빼고 셉니다.</translation>
    </message>
    <message>
        <source>Runs A and B have the same outcome: there is no difference to take a share of.</source>
        <translation>실행 A와 B의 결과가 같아서, 비율을 구할 차이가 없습니다.</translation>
    </message>
    <message>
        <source>SPLADE&apos;s vector has a number for each piece of the vocabulary, the largest log(1 + relu(logit)) among the tokens; the predictions of masked tokens are those logits.</source>
        <translation>SPLADE의 벡터에는 어휘의 조각마다 수가 하나씩 있으며, 토큰들의 log(1 + relu(로짓)) 가운데 가장 큰 값입니다. 가린 토큰의 예측이 바로 그 로짓입니다.</translation>
    </message>
    <message>
        <source>Save a tokenizer.json with the tokenizer that the model was trained with, and let “tokenizer_class” in tokenizer_config.json be “{0}”: it is then taken as it is.</source>
        <translation>모델을 학습한 토크나이저로 tokenizer.json을 저장하고, tokenizer_config.json의 “tokenizer_class”를 “{0}”(으)로 두세요. 그러면 적힌 그대로 씁니다.</translation>
    </message>
    <message>
        <source>Save it again: {0}.</source>
        <translation>다시 저장하세요: {0}.</translation>
    </message>
    <message>
        <source>Save it as text in UTF-8: CSV, JSON lines, or a text a line.</source>
        <translation>UTF-8 텍스트로 저장하세요: CSV, JSON Lines, 또는 한 줄에 글 하나.</translation>
    </message>
    <message>
        <source>Save it with both parts of a layer under the layer&apos;s number.</source>
        <translation>한 레이어의 두 부분을 그 레이어의 번호 아래에 함께 저장하세요.</translation>
    </message>
    <message>
        <source>Save it with {0}, beside the ids: {1}.</source>
        <translation>{0}(으)로 ID와 함께 저장하세요: {1}.</translation>
    </message>
    <message>
        <source>Save the figure by itself.</source>
        <translation>그림을 따로 저장하세요.</translation>
    </message>
    <message>
        <source>Save the list of the vocabulary&apos;s pieces, in their order.</source>
        <translation>어휘의 조각을 차례대로 적은 목록을 저장하세요.</translation>
    </message>
    <message>
        <source>Save the model again with {0} in its place.</source>
        <translation>그 자리에 {0}을(를) 넣어 모델을 다시 저장하세요.</translation>
    </message>
    <message>
        <source>Save the one to be read as a file of its own.</source>
        <translation>읽을 시트를 따로 한 파일로 저장하세요.</translation>
    </message>
    <message>
        <source>Save the state dict of one of them with its embeddings.</source>
        <translation>그 가운데 하나의 state_dict를 임베딩과 함께 저장하세요.</translation>
    </message>
    <message>
        <source>Say which part is which: in the window by a form, on the command line by {0}, in Python by {1}. What the encoder does not need is “unused”. “Open your own BERT” in the documents shows how.</source>
        <translation>어느 것이 어느 부분인지 알려 주세요. 창에서는 표로, 명령줄에서는 {0}(으)로, 파이썬에서는 {1}(으)로 합니다. 인코더에 필요 없는 것은 ‘unused’입니다. 방법은 문서 ‘직접 만든 BERT 열기’에 있습니다.</translation>
    </message>
    <message>
        <source>Says where the token stands; without it the order would be lost.</source>
        <translation>토큰이 몇 번째인지 알려 줍니다. 이것이 없으면 순서를 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Says whether the token is in sentence 1 or 2 (segment 0 or 1); some models have only one.</source>
        <translation>토큰이 문장 1에 있는지 2에 있는지(세그먼트 0 또는 1) 알려 줍니다. 모든 토큰에 하나만 주는 모델도 있습니다.</translation>
    </message>
    <message>
        <source>Says which task the text is read for; it is 0 here, the same for all tokens.</source>
        <translation>글을 어떤 과제를 위해 읽는지 나타냅니다. 여기서는 모든 토큰에 똑같이 0입니다.</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Scores go into the softmax as they are</source>
        <translation>점수가 그대로 소프트맥스에 들어갑니다</translation>
    </message>
    <message>
        <source>Scores go through {0} in sentence-transformers; here they are shown without it.</source>
        <translation>sentence-transformers에서는 점수가 {0}을(를) 거치지만 여기서는 그대로 보여 줍니다.</translation>
    </message>
    <message>
        <source>Scores go through {0}, as sentence-transformers computes them.</source>
        <translation>sentence-transformers의 계산과 같이 점수는 {0}을(를) 거칩니다.</translation>
    </message>
    <message>
        <source>Scores of a method</source>
        <translation>한 방법의 점수</translation>
    </message>
    <message>
        <source>Seed of the random choices</source>
        <translation>무작위 선택의 시드</translation>
    </message>
    <message>
        <source>Segment embeddings</source>
        <translation>세그먼트 임베딩</translation>
    </message>
    <message>
        <source>Selectivity, accuracy less that of the control task: {0}.</source>
        <translation>선택성(정확도에서 통제 과제의 정확도를 뺀 값): {0}.</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Sentences 1 and 2 have segments 0 and 1</source>
        <translation>두 문장의 세그먼트는 0과 1</translation>
    </message>
    <message>
        <source>Sentences besides these that cannot be used: {0}.</source>
        <translation>이 밖에 쓸 수 없는 문장: {0}개.</translation>
    </message>
    <message>
        <source>Several tensors have the same part, {0}: {1}.</source>
        <translation>여러 텐서가 같은 부분 {0}(으)로 되어 있습니다: {1}.</translation>
    </message>
    <message>
        <source>Share found</source>
        <translation>찾은 비율</translation>
    </message>
    <message>
        <source>Share of texts: {0}</source>
        <translation>글의 몫: {0}</translation>
    </message>
    <message>
        <source>Share of the attention</source>
        <translation>어텐션의 몫</translation>
    </message>
    <message>
        <source>Share of the flow</source>
        <translation>흐름의 몫</translation>
    </message>
    <message>
        <source>Show the parameters in the panel</source>
        <translation>패널에 매개변수 보이기</translation>
    </message>
    <message>
        <source>Show the steps in the panel</source>
        <translation>패널에 단계 보이기</translation>
    </message>
    <message>
        <source>Show the vectors in the panel</source>
        <translation>패널에 벡터 보이기</translation>
    </message>
    <message>
        <source>Shown as it is: a regression</source>
        <translation>있는 그대로 보여 줍니다: 회귀</translation>
    </message>
    <message>
        <source>Shuffled labels</source>
        <translation>섞은 레이블</translation>
    </message>
    <message>
        <source>Significant</source>
        <translation>유의함</translation>
    </message>
    <message>
        <source>Similarity of layers (CKA)</source>
        <translation>레이어의 닮음(CKA)</translation>
    </message>
    <message>
        <source>Similarity of two checkpoints&apos; layers (CKA)</source>
        <translation>두 체크포인트 레이어의 닮음(CKA)</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>표준편차</translation>
    </message>
    <message>
        <source>State 0 are the embeddings.</source>
        <translation>상태 0은 임베딩입니다.</translation>
    </message>
    <message>
        <source>State {0}</source>
        <translation>은닉 상태 {0}</translation>
    </message>
    <message>
        <source>State {0}: {1} of {2} held-out labels ({3} to {4}), mean F1 {5}; the most frequent label is {6}.</source>
        <translation>상태 {0}: 떼어 둔 레이블 {2}개 가운데 {1}({3}~{4}), 평균 F1 {5}. 가장 흔한 레이블은 {6}입니다.</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Steps of the training of each layer</source>
        <translation>레이어마다 학습할 단계 수</translation>
    </message>
    <message>
        <source>Stored masks that hide no token are left out: {0}.</source>
        <translation>저장된 마스크 가운데 아무 토큰도 가리지 않는 것은 쓰지 않습니다: {0}.</translation>
    </message>
    <message>
        <source>Such layers are not computed.</source>
        <translation>그런 레이어는 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>T5 has an encoder and a decoder: its encoder alone is computed and shown.</source>
        <translation>T5에는 인코더와 디코더가 있습니다. 인코더만 계산해서 보여 줍니다.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>표</translation>
    </message>
    <message>
        <source>Take the values as they are, or change another word of B.</source>
        <translation>값을 그대로 쓰거나 B의 다른 단어를 바꾸세요.</translation>
    </message>
    <message>
        <source>TensorFlow&apos;s, a program with its weights</source>
        <translation>프로그램과 가중치가 함께 든 TensorFlow</translation>
    </message>
    <message>
        <source>Textbook</source>
        <translation>교과서</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Texts are read by the adapters of {0}, of {1} languages: another “default_language” in config.json chooses others.</source>
        <translation>언어 {1}개 가운데 {0}의 어댑터로 글을 읽습니다. config.json의 “default_language”를 바꾸면 다른 어댑터를 씁니다.</translation>
    </message>
    <message>
        <source>Texts whose words are coloured have no axes.</source>
        <translation>단어에 색을 입힌 글은 축에 그릴 수 없습니다.</translation>
    </message>
    <message>
        <source>That is the best score. The next is “{0}”, {1} lower: its weight is {2} times smaller, since e to the power {1} is {2}.</source>
        <translation>가장 높은 점수입니다. 그다음은 {1}만큼 낮은 ‘{0}’입니다. e의 {1}제곱이 {2}이므로 그 가중치는 {2}배 작습니다.</translation>
    </message>
    <message>
        <source>The active panel alone</source>
        <translation>활성 패널만</translation>
    </message>
    <message>
        <source>The analysis “{0}” of the package “{1}” is left out: {2}.</source>
        <translation>패키지 ‘{1}’의 분석 ‘{0}’을(를) 목록에 넣지 못했습니다: {2}.</translation>
    </message>
    <message>
        <source>The arithmetic, step by step (P)</source>
        <translation>계산을 한 단계씩 (P)</translation>
    </message>
    <message>
        <source>The attention goes from {0} tokens to {1} others.</source>
        <translation>어텐션이 토큰 {0}개에서 다른 토큰 {1}개로 갑니다.</translation>
    </message>
    <message>
        <source>The attention of layer {0} has negative numbers, such as {1}.</source>
        <translation>레이어 {0}의 어텐션에 {1} 같은 음수가 있습니다.</translation>
    </message>
    <message>
        <source>The attention of layer {0} has numbers that are not finite.</source>
        <translation>레이어 {0}의 어텐션에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>The base of this model is computed, as its own code does where no task is named. Its adapters are not added: {0}.</source>
        <translation>이 모델의 바탕만 계산합니다. 모델 자신의 코드도 태스크를 지정하지 않으면 그렇게 합니다. 더하지 않은 어댑터: {0}.</translation>
    </message>
    <message>
        <source>The best score is that of “{0}”, {1} higher: its weight is {2} times larger, since e to the power {1} is {2}.</source>
        <translation>가장 높은 점수는 {1}만큼 높은 ‘{0}’의 것입니다. e의 {1}제곱이 {2}이므로 그 가중치는 {2}배 큽니다.</translation>
    </message>
    <message>
        <source>The checkpoint that the adapter is added to</source>
        <translation>어댑터를 더할 체크포인트</translation>
    </message>
    <message>
        <source>The checkpoint {0} has other weights than the table was made with.</source>
        <translation>체크포인트 {0}의 가중치가 표를 만들 때와 다릅니다.</translation>
    </message>
    <message>
        <source>The chosen tokenizer numbers “{0}” {1}, but config.json says {2} = {3}.</source>
        <translation>고른 토크나이저에서 “{0}”의 번호는 {1}인데, config.json에는 {2} = {3}(으)로 적혀 있습니다.</translation>
    </message>
    <message>
        <source>The cosine of the vectors of two tokens in every layer, of two texts or of one, and what each looks at.</source>
        <translation>두 글이나 한 글에 있는 두 토큰의 벡터가 레이어마다 이루는 코사인, 그리고 각 토큰이 보는 것입니다.</translation>
    </message>
    <message>
        <source>The decoder has no text, and generate() wrote none: {0}</source>
        <translation>디코더에 줄 글이 없고, generate()도 쓰지 못했습니다: {0}</translation>
    </message>
    <message>
        <source>The embeddings are added, number by number.</source>
        <translation>임베딩을 같은 자리의 수끼리 더합니다.</translation>
    </message>
    <message>
        <source>The embeddings are not as wide as the layers: one dense layer changes their width.</source>
        <translation>임베딩과 레이어의 너비가 다릅니다. 밀집 레이어 하나가 너비를 맞춥니다.</translation>
    </message>
    <message>
        <source>The factor of the rotations in config.json, {0}, is no number from 1.</source>
        <translation>config.json에 있는 회전의 배율 {0}이(가) 1 이상의 수가 아닙니다.</translation>
    </message>
    <message>
        <source>The feed-forward part of its layers has no bias where its attention has one.</source>
        <translation>레이어의 어텐션에는 편향이 있는데 피드포워드에는 없습니다.</translation>
    </message>
    <message>
        <source>The figure is too low for its labels with letters of 6 points.</source>
        <translation>6포인트 글자로 이름을 적기에는 그림이 너무 낮습니다.</translation>
    </message>
    <message>
        <source>The file has no tensors called {0}, which the parts name.</source>
        <translation>부분을 정한 {0}이라는 텐서가 파일에 없습니다.</translation>
    </message>
    <message>
        <source>The file has none. Code that computes them uses one of two formulas; look for 10000 in it. With a wrong one all numbers are wrong, and attention to neighbouring tokens is blurred.</source>
        <translation>파일에 들어 있지 않습니다. 이를 계산하는 코드는 두 공식 중 하나를 씁니다. 코드에서 10000을 찾아보세요. 공식이 틀리면 모든 수가 틀리고, 이웃 토큰에 대한 어텐션이 흐려집니다.</translation>
    </message>
    <message>
        <source>The file has one, and its name does not show where the model&apos;s forward calls it.</source>
        <translation>파일에 하나 있는데, 모델의 forward가 어디에서 부르는지 이름에 드러나지 않습니다.</translation>
    </message>
    <message>
        <source>The file holds {0} stacks of layers: {1}.</source>
        <translation>파일에 레이어의 묶음이 {0}개 있습니다: {1}.</translation>
    </message>
    <message>
        <source>The file of the lesson has changed meanwhile.</source>
        <translation>그사이에 수업 파일이 바뀌었습니다.</translation>
    </message>
    <message>
        <source>The final vector of the first token, which could attend to the whole input.</source>
        <translation>첫 토큰의 마지막 벡터입니다. 어텐션을 거쳐 입력 전체에서 정보를 모을 수 있었습니다.</translation>
    </message>
    <message>
        <source>The first output</source>
        <translation>첫째 출력</translation>
    </message>
    <message>
        <source>The first row: arange(length)</source>
        <translation>맨 앞 행: arange(length)</translation>
    </message>
    <message>
        <source>The first token: hidden[:, 0]</source>
        <translation>첫 토큰: hidden[:, 0]</translation>
    </message>
    <message>
        <source>The folder holds a whole model and an adapter. If the model was saved after the adapter was merged into it, adding it again would count it twice.</source>
        <translation>폴더에 온전한 모델과 어댑터가 함께 있습니다. 어댑터를 합친 뒤에 저장한 모델이라면, 다시 더하면 두 번 더하게 됩니다.</translation>
    </message>
    <message>
        <source>The folder of the tokenizer</source>
        <translation>토크나이저 폴더</translation>
    </message>
    <message>
        <source>The heads of this model have convolutions beside them, which this analysis does not follow.</source>
        <translation>이 모델에는 헤드 곁에 합성곱이 있으며, 이 분석은 그것을 따라가지 않습니다.</translation>
    </message>
    <message>
        <source>The hidden states of the two runs have no cosines: their models differ in size.</source>
        <translation>두 실행의 모델은 크기가 달라서 은닉 상태의 코사인을 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>The hub calls it {0}: open that to download it.</source>
        <translation>허브에서는 {0}라고 합니다. 그 이름으로 열면 내려받습니다.</translation>
    </message>
    <message>
        <source>The label of true pairs in the training data: is_next. BERT has 0, many notebooks have 1.</source>
        <translation>학습 데이터에서 진짜 쌍의 레이블(is_next)입니다. BERT는 0, 많은 노트북은 1입니다.</translation>
    </message>
    <message>
        <source>The label “{0}” of {1} is no number.</source>
        <translation>{1}의 레이블 ‘{0}’은(는) 수가 아닙니다.</translation>
    </message>
    <message>
        <source>The largest numbers of all tokens: hidden.max(1)</source>
        <translation>모든 토큰에서 가장 큰 수: hidden.max(1)</translation>
    </message>
    <message>
        <source>The largest part of what “{0}” asks for here was written by {1}: {2} of the score.</source>
        <translation>‘{0}’ 토큰이 여기서 묻는 것의 가장 큰 부분은 {1} 부분이 썼습니다: 점수 가운데 {2}.</translation>
    </message>
    <message>
        <source>The layer&apos;s input, as wide as it came, is added to the result.</source>
        <translation>레이어의 입력을 원래 너비 그대로 결과에 더합니다.</translation>
    </message>
    <message>
        <source>The layers are {0}.</source>
        <translation>층은 {0}입니다.</translation>
    </message>
    <message>
        <source>The layers end in adapters of a language, which this analysis does not follow.</source>
        <translation>레이어 끝에 언어별 어댑터가 있으며, 이 분석은 그것을 따라가지 않습니다.</translation>
    </message>
    <message>
        <source>The layers have different numbers of heads.</source>
        <translation>레이어마다 헤드의 수가 다릅니다.</translation>
    </message>
    <message>
        <source>The lens in {0} was made of another checkpoint, {1}.</source>
        <translation>{0}의 렌즈는 다른 체크포인트 {1}의 것입니다.</translation>
    </message>
    <message>
        <source>The lens is kept for this checkpoint: choose it among the analyses of a panel.</source>
        <translation>렌즈를 이 체크포인트용으로 보관했습니다. 패널의 분석에서 선택하세요.</translation>
    </message>
    <message>
        <source>The loss of the training says it: CrossEntropyLoss, BCEWithLogitsLoss, or MSELoss.</source>
        <translation>학습의 손실 함수를 보면 압니다: CrossEntropyLoss, BCEWithLogitsLoss, MSELoss.</translation>
    </message>
    <message>
        <source>The mean of all tokens: hidden.mean(1)</source>
        <translation>모든 토큰의 평균: hidden.mean(1)</translation>
    </message>
    <message>
        <source>The measures are a list of names, not the text “{0}”.</source>
        <translation>측정값은 이름의 목록이어야 하며, 글 “{0}”이(가) 아닙니다.</translation>
    </message>
    <message>
        <source>The model as its own weights have it</source>
        <translation>가중치 그대로의 모델</translation>
    </message>
    <message>
        <source>The model does not know the order of its tokens</source>
        <translation>모델이 토큰의 순서를 모릅니다</translation>
    </message>
    <message>
        <source>The model returned no attention.</source>
        <translation>모델이 어텐션을 돌려주지 않았습니다.</translation>
    </message>
    <message>
        <source>The model with the adapter added to its weights</source>
        <translation>가중치에 어댑터를 더한 모델</translation>
    </message>
    <message>
        <source>The model&apos;s forward says what it is given. A wrong answer makes its probabilities wrong.</source>
        <translation>모델의 forward를 보면 무엇을 받는지 알 수 있습니다. 답이 틀리면 확률도 틀립니다.</translation>
    </message>
    <message>
        <source>The name in the adapter&apos;s own file</source>
        <translation>어댑터 파일에 적힌 이름</translation>
    </message>
    <message>
        <source>The nearer, the higher the score, as far as r is close to −1. Rings are keys.</source>
        <translation>가까울수록 점수가 높습니다. r이 −1에 가까운 만큼 그렇습니다. 고리는 키입니다.</translation>
    </message>
    <message>
        <source>The numbers as a table</source>
        <translation>수를 표로 보기</translation>
    </message>
    <message>
        <source>The numbers as cells, bars, curves, points, words or arcs</source>
        <translation>수를 칸, 막대, 곡선, 점, 단어, 호로 그립니다</translation>
    </message>
    <message>
        <source>The numbers of this analysis are of all heads together; head {0} · {1} was pruned.</source>
        <translation>이 분석의 수는 모든 헤드를 함께 다루는데, 헤드 {0} · {1}은(는) 가지치기되었습니다.</translation>
    </message>
    <message>
        <source>The output projection and the norms of its attention are not among its weights: its code makes them anew, at random, at each pass, so the model cannot be computed again.</source>
        <translation>어텐션의 출력 사영과 정규화가 가중치에 없습니다. 코드가 계산할 때마다 무작위로 새로 만들기 때문에 이 모델은 다시 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>The outputs of all heads are joined into one vector.</source>
        <translation>모든 헤드의 출력을 이어 붙여 벡터 하나로 만듭니다.</translation>
    </message>
    <message>
        <source>The panels, without the cards around them</source>
        <translation>카드 없이 패널만</translation>
    </message>
    <message>
        <source>The parameter {0} (“{1}”) says so, as {2}.</source>
        <translation>매개변수 {0}(“{1}”)에 적어 주세요. 예: {2}</translation>
    </message>
    <message>
        <source>The pooled vector</source>
        <translation>풀링 벡터</translation>
    </message>
    <message>
        <source>The product of its two matrices is multiplied by alpha / rank: look for lora_alpha in the code that trained it. 0 if the weights were saved in evaluation mode: loralib had added it then.</source>
        <translation>두 행렬의 곱에 알파 / 랭크를 곱합니다. 학습 코드에서 lora_alpha를 찾아보세요. 평가 모드에서 저장한 가중치라면 0을 입력하세요. loralib이 저장할 때 이미 더해 두었습니다.</translation>
    </message>
    <message>
        <source>The projection of the sentence vector has shape {0}.</source>
        <translation>문장 벡터를 사영하는 행렬의 모양이 {0}입니다.</translation>
    </message>
    <message>
        <source>The queries and keys of one head as points in one plane, scaled and moved so that pairs with a high score tend to be near.</source>
        <translation>한 헤드의 쿼리와 키를 한 평면의 점으로 그립니다. 점수가 높은 쌍이 가까이 놓이도록 배율을 맞추고 옮깁니다.</translation>
    </message>
    <message>
        <source>The query is compared with every key: the better they fit, the larger the product.</source>
        <translation>쿼리를 모든 키와 비교합니다. 잘 맞을수록 곱이 큽니다.</translation>
    </message>
    <message>
        <source>The result is added to the attention input: the first residual connection.</source>
        <translation>결과를 어텐션의 입력에 더합니다. 첫 번째 잔차 연결입니다.</translation>
    </message>
    <message>
        <source>The result is added to the feed-forward input: the second residual connection.</source>
        <translation>결과를 피드포워드의 입력에 더합니다. 두 번째 잔차 연결입니다.</translation>
    </message>
    <message>
        <source>The result is added to the sum from before the norm.</source>
        <translation>결과를 정규화하기 전의 합에 더합니다.</translation>
    </message>
    <message>
        <source>The rows of {0} have one column: no separator is found.</source>
        <translation>{0}의 행에는 열이 하나뿐입니다. 구분자를 찾지 못했습니다.</translation>
    </message>
    <message>
        <source>The rule is this program&apos;s own, not the classifier that Kovaleva et al. trained: numbers cannot be compared with theirs. A longer text has fewer vertical heads: compare texts of one length.</source>
        <translation>이 규칙은 이 프로그램이 정한 것으로, Kovaleva 외가 학습한 분류기가 아닙니다. 그래서 그 논문의 수와 비교할 수 없습니다. 글이 길수록 세로 무늬의 헤드가 줄어드니 길이가 같은 글끼리 비교하세요.</translation>
    </message>
    <message>
        <source>The same function is applied to every number.</source>
        <translation>모든 수에 같은 함수를 적용합니다.</translation>
    </message>
    <message>
        <source>The sample standard deviation + epsilon</source>
        <translation>표본 표준편차 + 엡실론</translation>
    </message>
    <message>
        <source>The saved output has shape {0}, and the hidden states of this text have {1}.</source>
        <translation>저장된 출력의 모양은 {0}인데 이 글의 은닉 상태는 {1}입니다.</translation>
    </message>
    <message>
        <source>The scores become weights between 0 and 1 that add up to 1.</source>
        <translation>점수를 0과 1 사이, 합이 1인 가중치로 바꿉니다.</translation>
    </message>
    <message>
        <source>The second output</source>
        <translation>둘째 출력</translation>
    </message>
    <message>
        <source>The second text cannot begin at token {0} of {1}.</source>
        <translation>둘째 글은 토큰 {1}개 가운데 {0}번에서 시작할 수 없습니다.</translation>
    </message>
    <message>
        <source>The square root of the width of a head, as in BERT</source>
        <translation>헤드 너비의 제곱근, BERT처럼</translation>
    </message>
    <message>
        <source>The square root of the width of the hidden states</source>
        <translation>은닉 상태 너비의 제곱근</translation>
    </message>
    <message>
        <source>The station “{0}” would show something else there.</source>
        <translation>거기로 옮기면 “{0}” 장면에 다른 것이 보입니다.</translation>
    </message>
    <message>
        <source>The sum over the neighbours is added to the layer&apos;s output.</source>
        <translation>이웃에게서 얻은 합을 레이어의 출력에 더합니다.</translation>
    </message>
    <message>
        <source>The tensor {0} has no numbers: it is on the device “meta”.</source>
        <translation>텐서 {0}에는 수가 없습니다. “meta” 장치에 있습니다.</translation>
    </message>
    <message>
        <source>The tensor {0} has numbers of the type {1}, which is not read.</source>
        <translation>텐서 {0}의 수는 {1} 형식이며, 이 형식은 읽지 않습니다.</translation>
    </message>
    <message>
        <source>The tensor {0} is sparse ({1}), which is not read.</source>
        <translation>텐서 {0}은(는) 희소 텐서({1})이며, 이런 텐서는 읽지 않습니다.</translation>
    </message>
    <message>
        <source>The tensors of the file with the part that each is, and a comparison with an output.</source>
        <translation>파일의 텐서와 각각의 부분, 그리고 출력과의 비교입니다.</translation>
    </message>
    <message>
        <source>The text has {0} tokens; this model reads {1}.</source>
        <translation>글의 토큰은 {0}개인데 이 모델은 {1}개까지 읽습니다.</translation>
    </message>
    <message>
        <source>The text is cut into pieces of the vocabulary, each with an ID.</source>
        <translation>글을 어휘의 조각으로 자릅니다. 조각마다 번호가 있습니다.</translation>
    </message>
    <message>
        <source>The texts of the table are not here: {0}.</source>
        <translation>표의 글이 여기에 없습니다: {0}.</translation>
    </message>
    <message>
        <source>The texts of this table are in {0} files; examples are those of one.</source>
        <translation>이 표의 글은 파일 {0}개에 있습니다. 예문은 한 파일의 것입니다.</translation>
    </message>
    <message>
        <source>The three rows of a token are added up.</source>
        <translation>토큰의 세 행을 더합니다.</translation>
    </message>
    <message>
        <source>The tokenizer is not the checkpoint&apos;s: it was chosen, from {0}.</source>
        <translation>토크나이저는 체크포인트의 것이 아니라 {0}에서 고른 것입니다.</translation>
    </message>
    <message>
        <source>The translation may find what later layers do not use; it is right for texts like those that it was trained on, at masked tokens or at all, as it was chosen then.</source>
        <translation>변환은 뒤의 레이어가 쓰지 않는 것까지 찾아낼 수 있습니다. 학습한 글과 비슷한 글에, 그때 고른 대로 빈칸 토큰 또는 모든 토큰에 맞습니다.</translation>
    </message>
    <message>
        <source>The value of a token is the content it passes on when attended to.</source>
        <translation>다른 토큰이 이 토큰을 볼 때 건네주는 내용입니다.</translation>
    </message>
    <message>
        <source>The vector of the first token is taken out: it stands for the whole text.</source>
        <translation>첫째 토큰의 벡터를 꺼냅니다. 글 전체를 나타냅니다.</translation>
    </message>
    <message>
        <source>The vocabulary of this checkpoint has no mask token.</source>
        <translation>이 체크포인트의 어휘에는 마스크 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>The weighted values are added up: the output of this head for the query.</source>
        <translation>가중치를 곱한 값 벡터를 모두 더합니다. 이 쿼리에 대한 헤드의 출력입니다.</translation>
    </message>
    <message>
        <source>The weights in {0} are quantised ({1}): {2} says so. Rounded weights are not computed with.</source>
        <translation>{0}의 가중치는 양자화되었습니다({1}). {2}이(가) 그 표시입니다. 반올림된 가중치로는 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>The weights include it already</source>
        <translation>가중치에 이미 더해져 있음</translation>
    </message>
    <message>
        <source>The weights would fill {0} MB, but their files hold {1} MB.</source>
        <translation>가중치는 메모리 {0} MB를 차지하게 되는데 파일은 {1} MB뿐입니다.</translation>
    </message>
    <message>
        <source>The window could not be opened.</source>
        <translation>창을 열 수 없습니다.</translation>
    </message>
    <message>
        <source>The window of {0} is closed.</source>
        <translation>{0}의 창이 닫혀 있습니다.</translation>
    </message>
    <message>
        <source>The window of {0} shows no text yet.</source>
        <translation>{0}의 창에 아직 텍스트가 없습니다.</translation>
    </message>
    <message>
        <source>The word is several tokens ({0}): give one of them.</source>
        <translation>이 단어는 여러 토큰으로 나뉩니다({0}). 그중 하나를 쓰세요.</translation>
    </message>
    <message>
        <source>The words of this checkpoint&apos;s texts are cut by “{0}”, which is not supported.</source>
        <translation>이 체크포인트가 글을 단어로 나누는 방법(“{0}”)은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>The {0} heads of a layer have the same matrices: each uses them on its own part of the vector.</source>
        <translation>한 레이어의 헤드 {0}개가 같은 행렬을 씁니다. 헤드마다 벡터에서 자기 몫에만 곱합니다.</translation>
    </message>
    <message>
        <source>The {0} in {1} are no whole numbers.</source>
        <translation>{1}에 있는 {0}의 값이 정수가 아닙니다.</translation>
    </message>
    <message>
        <source>The {0} is one text, not {1}.</source>
        <translation>{0}: 문장 하나여야 합니다. 주어진 것: {1}.</translation>
    </message>
    <message>
        <source>The {0} is written text, not the ids of tokens.</source>
        <translation>{0}: 토큰의 ID가 아니라 글이어야 합니다.</translation>
    </message>
    <message>
        <source>The {0} labels mark no spans.</source>
        <translation>레이블 {0}가지는 구간을 나타내지 않습니다.</translation>
    </message>
    <message>
        <source>The {0} layers share the weights of {1}.</source>
        <translation>{0}개의 레이어가 {1}개의 가중치를 함께 씁니다.</translation>
    </message>
    <message>
        <source>The {0} likeliest pieces cannot be named.</source>
        <translation>가장 그럴듯한 조각 {0}개는 나열할 수 없습니다.</translation>
    </message>
    <message>
        <source>There are 1 to 1,000 heads.</source>
        <translation>헤드는 1개에서 1,000개까지입니다.</translation>
    </message>
    <message>
        <source>There are no files to read.</source>
        <translation>읽을 파일이 없습니다.</translation>
    </message>
    <message>
        <source>There are no rows to learn from.</source>
        <translation>학습 데이터에 행이 없습니다.</translation>
    </message>
    <message>
        <source>There are no sentences in {0}.</source>
        <translation>{0}에 문장이 없습니다.</translation>
    </message>
    <message>
        <source>There are no weights in {0}.</source>
        <translation>{0}에 가중치가 없습니다.</translation>
    </message>
    <message>
        <source>There are {0} classes.</source>
        <translation>클래스는 {0}개입니다.</translation>
    </message>
    <message>
        <source>There are {0} tokens, but attention of {1}.</source>
        <translation>토큰은 {0}개인데 어텐션은 {1}개의 것입니다.</translation>
    </message>
    <message>
        <source>There are {0}.</source>
        <translation>있는 것: {0}.</translation>
    </message>
    <message>
        <source>There are: {0}.</source>
        <translation>있는 것: {0}.</translation>
    </message>
    <message>
        <source>There are: {0}. bertviz-app render draws the other views.</source>
        <translation>{0} 중에서 고를 수 있습니다. 다른 보기는 bertviz-app render로 그립니다.</translation>
    </message>
    <message>
        <source>There is a run in {0} already.</source>
        <translation>{0}에 이미 학습이 있습니다.</translation>
    </message>
    <message>
        <source>There is a training in {0} already.</source>
        <translation>{0}에 이미 학습이 있습니다.</translation>
    </message>
    <message>
        <source>There is no adapter that {0} could be about.</source>
        <translation>{0} 설정이 가리킬 어댑터가 없습니다.</translation>
    </message>
    <message>
        <source>There is no analysis “{0}”.</source>
        <translation>“{0}” 분석은 없습니다.</translation>
    </message>
    <message>
        <source>There is no checkpoint on this computer yet.</source>
        <translation>이 컴퓨터에는 아직 체크포인트가 없습니다.</translation>
    </message>
    <message>
        <source>There is no difference of two such results.</source>
        <translation>이런 두 결과 사이에는 차이를 구할 수 없습니다.</translation>
    </message>
    <message>
        <source>There is no encoding “{0}”.</source>
        <translation>‘{0}’이라는 인코딩은 없습니다.</translation>
    </message>
    <message>
        <source>There is no figure “{0}” of a comparison.</source>
        <translation>비교에는 “{0}” 그림이 없습니다.</translation>
    </message>
    <message>
        <source>There is no figure “{0}” of a trace.</source>
        <translation>트레이스에는 “{0}” 그림이 없습니다.</translation>
    </message>
    <message>
        <source>There is no file {0}.</source>
        <translation>{0} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>There is no file “{0}”.</source>
        <translation>“{0}” 파일이 없습니다.</translation>
    </message>
    <message>
        <source>There is no folder for the model.</source>
        <translation>모델을 둘 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>There is no folder {0}, which was chosen for the tokenizer.</source>
        <translation>토크나이저로 고른 폴더 {0}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>There is no folder {0}.</source>
        <translation>{0} 폴더가 없습니다.</translation>
    </message>
    <message>
        <source>There is no head {0} · {1} to select.</source>
        <translation>선택할 헤드 {0} · {1}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>There is no head {0}: this model has heads 0 to {1}.</source>
        <translation>헤드 {0}번이 없습니다. 이 모델의 헤드는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no hidden state {0}: there are 0 to {1}.</source>
        <translation>은닉 상태 {0}은(는) 없습니다. 0에서 {1}까지 있습니다.</translation>
    </message>
    <message>
        <source>There is no intervention “{0}”.</source>
        <translation>“{0}” 개입은 없습니다.</translation>
    </message>
    <message>
        <source>There is no layer of attention.</source>
        <translation>어텐션의 레이어가 없습니다.</translation>
    </message>
    <message>
        <source>There is no layer {0}: this model has layers 0 to {1}.</source>
        <translation>레이어 {0}번이 없습니다. 이 모델의 레이어는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no masked token in the text.</source>
        <translation>문장에 마스크한 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>There is no measure “{0}”.</source>
        <translation>“{0}” 지표는 없습니다.</translation>
    </message>
    <message>
        <source>There is no output {0}: this matrix has 0 to {1}.</source>
        <translation>출력 {0}번은 없습니다. 이 행렬의 출력은 0번부터 {1}번까지입니다.</translation>
    </message>
    <message>
        <source>There is no page “{0}”.</source>
        <translation>‘{0}’이라는 페이지는 없습니다.</translation>
    </message>
    <message>
        <source>There is no piece to set against “{0}”.</source>
        <translation>“{0}”과(와) 견줄 조각이 없습니다.</translation>
    </message>
    <message>
        <source>There is no position {0}: this checkpoint has 0 to {1}.</source>
        <translation>위치 {0}번이 없습니다. 이 체크포인트의 위치는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no room for a text; choose another model.</source>
        <translation>문장이 들어갈 자리가 없습니다. 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>There is no run in {0} to go on with.</source>
        <translation>{0}에 이어서 할 학습이 없습니다.</translation>
    </message>
    <message>
        <source>There is no schedule called {0}.</source>
        <translation>“{0}” 학습률 일정은 없습니다.</translation>
    </message>
    <message>
        <source>There is no segment {0}: this checkpoint has 0 to {1}.</source>
        <translation>세그먼트 {0}번이 없습니다. 이 체크포인트의 세그먼트는 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no stage “{0}”.</source>
        <translation>“{0}”: 그런 계산 단계가 없습니다.</translation>
    </message>
    <message>
        <source>There is no state {0}: this model has states 0 to {1}.</source>
        <translation>상태 {0}은(는) 없습니다. 이 모델의 상태는 0에서 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no study “{0}”.</source>
        <translation>‘{0}’(이)라는 연구는 없습니다.</translation>
    </message>
    <message>
        <source>There is no style “{0}”.</source>
        <translation>“{0}” 양식은 없습니다.</translation>
    </message>
    <message>
        <source>There is no target “{0}”.</source>
        <translation>‘{0}’이라는 목표는 없습니다.</translation>
    </message>
    <message>
        <source>There is no tensor in {0}.</source>
        <translation>{0}에 텐서가 없습니다.</translation>
    </message>
    <message>
        <source>There is no text in {0}.</source>
        <translation>{0}에 글이 없습니다.</translation>
    </message>
    <message>
        <source>There is no text to train on.</source>
        <translation>학습할 글이 없습니다.</translation>
    </message>
    <message>
        <source>There is no token {0} in “{1}”: it has tokens 0 to {2}.</source>
        <translation>“{1}”에는 토큰 {0}이(가) 없습니다. 토큰은 0에서 {2}까지입니다.</translation>
    </message>
    <message>
        <source>There is no token {0}: the text has tokens 0 to {1}.</source>
        <translation>토큰 {0}번이 없습니다. 이 글의 토큰은 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no token {0}: this text has tokens 0 to {1}.</source>
        <translation>토큰 {0}번이 없습니다. 이 글의 토큰은 0부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>There is no token “{0}”.</source>
        <translation>“{0}” 토큰이 없습니다.</translation>
    </message>
    <message>
        <source>There is no token “{0}”: the text has {1} of “{2}”.</source>
        <translation>“{0}” 토큰이 없습니다. 이 글에 “{2}” 토큰은 {1}개입니다.</translation>
    </message>
    <message>
        <source>There is no tokenizer in the chosen folder {0}.</source>
        <translation>고른 폴더 {0}에 토크나이저가 없습니다.</translation>
    </message>
    <message>
        <source>There is no view “{0}”.</source>
        <translation>“{0}” 보기는 없습니다.</translation>
    </message>
    <message>
        <source>There is not enough memory for this analysis of {0} tokens.</source>
        <translation>토큰 {0}개를 이렇게 분석할 메모리가 모자랍니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to encode the texts of this file with this checkpoint.</source>
        <translation>이 파일의 글을 이 체크포인트로 인코딩하기에는 메모리가 모자랍니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to encode {0} tokens with this checkpoint.</source>
        <translation>이 체크포인트로 토큰 {0}개를 인코딩할 메모리가 모자랍니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to train this model with batches of this size.</source>
        <translation>이 크기의 배치로 이 모델을 학습시키기에는 메모리가 모자랍니다.</translation>
    </message>
    <message>
        <source>There is not enough memory to train this model.</source>
        <translation>이 모델을 학습시키기에는 메모리가 모자랍니다.</translation>
    </message>
    <message>
        <source>There is nothing to measure.</source>
        <translation>측정할 것이 없습니다.</translation>
    </message>
    <message>
        <source>There is one inside of it: open {0}.</source>
        <translation>그 안에 체크포인트가 하나 있습니다. {0} 폴더를 여세요.</translation>
    </message>
    <message>
        <source>There is one sentence only: none can be held out.</source>
        <translation>문장이 하나뿐이라 검증용으로 남겨 둘 수 없습니다.</translation>
    </message>
    <message>
        <source>There is something at {0} already.</source>
        <translation>{0}에 이미 무언가 있습니다.</translation>
    </message>
    <message>
        <source>These are no axes of matplotlib: {0}.</source>
        <translation>matplotlib의 axes가 아닙니다: {0}.</translation>
    </message>
    <message>
        <source>These attention weights came without queries, keys and hidden states.</source>
        <translation>이 어텐션 가중치에는 쿼리, 키, 은닉 상태가 없습니다.</translation>
    </message>
    <message>
        <source>These studies read files of several kinds: {0}.</source>
        <translation>이 연구들은 서로 다른 종류의 파일을 읽습니다: {0}.</translation>
    </message>
    <message>
        <source>These tensors are on the device “meta”, without numbers.</source>
        <translation>이 텐서들은 숫자 없이 “meta” 장치에 있습니다.</translation>
    </message>
    <message>
        <source>These tokens are not the patches of an image.</source>
        <translation>이 토큰들은 이미지의 패치가 아닙니다.</translation>
    </message>
    <message>
        <source>These weights are of transformers, but their shapes or names are not those of a BERT.</source>
        <translation>transformers의 가중치이지만 모양이나 이름이 BERT의 것이 아닙니다.</translation>
    </message>
    <message>
        <source>They are at {0}.</source>
        <translation>위치: {0}.</translation>
    </message>
    <message>
        <source>They are used as they are stored</source>
        <translation>저장된 그대로 씁니다</translation>
    </message>
    <message>
        <source>They have 1 and 2</source>
        <translation>1과 2</translation>
    </message>
    <message>
        <source>They lead out of it, to: {0}. Allow this only in a folder that you made yourself; a link that is changed later is asked about again.</source>
        <translation>폴더 밖으로 이어집니다: {0}. 직접 만든 폴더에서만 허용하세요. 나중에 바뀐 링크는 다시 묻습니다.</translation>
    </message>
    <message>
        <source>They mark spans by {0}: {1}.</source>
        <translation>{0} 방식으로 구간을 나타냅니다: {1}.</translation>
    </message>
    <message>
        <source>They share the {0} numbers of a query. The code that trained the model says how many: n_head, num_heads. It opens with a wrong count too; its heads then mix what belongs to others, and none shows a clear pattern.</source>
        <translation>쿼리를 이루는 수 {0}개를 헤드들이 나누어 가집니다. 모델을 학습한 코드의 n_head나 num_heads에 적혀 있습니다. 개수가 틀려도 열리지만, 헤드마다 다른 헤드의 것이 섞여 뚜렷한 무늬가 하나도 보이지 않습니다.</translation>
    </message>
    <message>
        <source>This GPU has no instructions for bfloat16 (from Ampere on).</source>
        <translation>이 GPU에는 bfloat16 명령이 없습니다(Ampere부터 있습니다).</translation>
    </message>
    <message>
        <source>This also removes accents and splits Hangul into letters. With a wrong answer, the strip shows [UNK] or single letters for common words.</source>
        <translation>악센트 부호도 없애고 한글은 자모로 나눕니다. 잘못 답하면 흔한 단어가 토큰 줄에 [UNK]나 글자 하나씩으로 나옵니다.</translation>
    </message>
    <message>
        <source>This analysis compares two runs.</source>
        <translation>이 분석은 두 실행을 비교합니다.</translation>
    </message>
    <message>
        <source>This analysis is of tokens that attend to each other; these attend to another text.</source>
        <translation>이 분석은 서로 주목하는 토큰의 것인데, 이 토큰들은 다른 글에 주목합니다.</translation>
    </message>
    <message>
        <source>This analysis needs the model of the trace.</source>
        <translation>이 분석에는 기록을 만든 모델이 필요합니다.</translation>
    </message>
    <message>
        <source>This analysis of {0} tokens would take {1} GiB of memory.</source>
        <translation>토큰 {0}개를 이렇게 분석하려면 메모리 {1} GiB가 필요합니다.</translation>
    </message>
    <message>
        <source>This cannot be written as “{0}”.</source>
        <translation>“{0}” 형식으로는 저장할 수 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint does not choose one of several classes.</source>
        <translation>이 체크포인트는 여러 클래스 가운데 하나를 고르지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint does not leave open what {0} answers.</source>
        <translation>이 체크포인트에서는 {0} 항목에 답할 필요가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint does not predict masked tokens.</source>
        <translation>이 체크포인트는 가린 토큰을 예측하지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint does not predict the next sentence.</source>
        <translation>이 체크포인트는 다음 문장을 예측하지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint does not tell classes of texts apart.</source>
        <translation>이 체크포인트는 글의 클래스를 나누지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has a layer of the type “{0}”, which is not known.</source>
        <translation>이 체크포인트에는 모르는 유형 “{0}”의 레이어가 있습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has a pos_att_type without relative_attention, which is not supported.</source>
        <translation>이 체크포인트에는 relative_attention 없이 pos_att_type이 있는데, 인코더가 지원하지 않는 구조입니다.</translation>
    </message>
    <message>
        <source>This checkpoint has adapters for {0} languages, and does not say which to use.</source>
        <translation>이 체크포인트에는 언어 {0}개의 어댑터가 있으나, 어느 것을 쓸지 정해져 있지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has an i_pad other than 0, which the encoder does not compute.</source>
        <translation>이 체크포인트의 i_pad는 0이 아니어서 계산할 수 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has heads of another width than {0}, which the encoder does not compute.</source>
        <translation>이 체크포인트의 헤드 너비는 인코더가 계산할 수 있는 너비({0})와 다릅니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no adapters for the language “{0}”.</source>
        <translation>이 체크포인트에는 언어 “{0}”의 어댑터가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no classes, and the file has labels.</source>
        <translation>파일에는 레이블이 있는데 이 체크포인트에는 클래스가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no classes.</source>
        <translation>이 체크포인트에는 클래스가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no other segment that token {0} could have.</source>
        <translation>이 체크포인트에는 토큰 {0}에 줄 다른 세그먼트가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no parameter “{0}”.</source>
        <translation>이 체크포인트에는 ‘{0}’이라는 매개변수가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no pooler.</source>
        <translation>이 체크포인트에는 풀러가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no position embeddings: a token has distances to others, and no position of its own.</source>
        <translation>이 체크포인트에는 위치 임베딩이 없습니다. 토큰에는 다른 토큰까지의 거리만 있고 자기 위치가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no task head for this outcome.</source>
        <translation>이 체크포인트에는 이 결과를 내는 과제 헤드가 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has no task head, and so no logits.</source>
        <translation>이 체크포인트에는 과제 헤드가 없어 로짓이 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has norms of queries and keys (“{0}”), which are not computed.</source>
        <translation>이 체크포인트는 쿼리와 키를 정규화하는데(“{0}”), 이것은 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has rope_scaling, which the encoder does not compute.</source>
        <translation>이 체크포인트에는 인코더가 계산하지 않는 rope_scaling이 있습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has rotations of the type “{0}”, which the encoder does not compute.</source>
        <translation>이 체크포인트에는 인코더가 계산하지 않는 유형 “{0}”의 회전이 있습니다.</translation>
    </message>
    <message>
        <source>This checkpoint has {0} = {1}, which the encoder does not compute.</source>
        <translation>이 체크포인트는 {0} = {1}인데, 인코더가 계산하지 않는 방식입니다.</translation>
    </message>
    <message>
        <source>This checkpoint has {0} = “{1}”, which is not known.</source>
        <translation>이 체크포인트의 {0} = “{1}”은(는) 알려지지 않은 값입니다.</translation>
    </message>
    <message>
        <source>This checkpoint predicts neither classes nor masked tokens: it has no loss.</source>
        <translation>이 체크포인트는 클래스도 가린 토큰도 예측하지 않으므로 손실이 없습니다.</translation>
    </message>
    <message>
        <source>This checkpoint reads emoji as words, and {0} is not installed.</source>
        <translation>이 체크포인트는 이모지를 단어로 읽는데, {0} 패키지가 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>This checkpoint reads one text at a time: it knows a single segment.</source>
        <translation>이 체크포인트는 세그먼트가 하나뿐이어서 한 번에 문장 하나만 읽습니다.</translation>
    </message>
    <message>
        <source>This checkpoint reads {0} tokens at most; the special ones alone are more.</source>
        <translation>이 체크포인트는 토큰을 {0}개까지만 읽는데, 특수 토큰만으로도 넘습니다.</translation>
    </message>
    <message>
        <source>This checkpoint uses the activation “{0}”, which is not known.</source>
        <translation>이 체크포인트가 쓰는 활성화 함수 “{0}”: 알려지지 않은 함수입니다.</translation>
    </message>
    <message>
        <source>This checkpoint&apos;s embedding_size is not its hidden_size, which the encoder does not compute.</source>
        <translation>이 체크포인트의 embedding_size가 hidden_size와 다른데, 인코더가 지원하지 않는 구조입니다.</translation>
    </message>
    <message>
        <source>This computer has no device “{0}”.</source>
        <translation>이 컴퓨터에는 “{0}” 장치가 없습니다.</translation>
    </message>
    <message>
        <source>This head does not reach from token {0} to token {1}.</source>
        <translation>이 헤드는 토큰 {0}에서 토큰 {1}까지 보지 못합니다.</translation>
    </message>
    <message>
        <source>This is ETRI&apos;s KorBERT: {0} holds its sizes and {1} its weights, but {2} lists the pieces of its own tokenizer, in another form than {3}. That tokenizer is code ({4}), which is not run.</source>
        <translation>ETRI의 KorBERT입니다. {0}에는 크기가, {1}에는 가중치가 있지만 {2}은(는) 자체 토크나이저의 조각 목록으로 {3}과(와) 형식이 다릅니다. 그 토크나이저는 코드({4})이므로 실행하지 않습니다.</translation>
    </message>
    <message>
        <source>This is no number such as 1e-5.</source>
        <translation>1e-5 같은 수가 아닙니다.</translation>
    </message>
    <message>
        <source>This is the whole output of a model, as a tuple, not its attention.</source>
        <translation>이것은 모델의 어텐션이 아니라 튜플로 된 출력 전체입니다.</translation>
    </message>
    <message>
        <source>This is unusually large.</source>
        <translation>보통보다 큽니다.</translation>
    </message>
    <message>
        <source>This model has a decoder, which needs a text.</source>
        <translation>이 모델에는 디코더가 있어 그 글이 필요합니다.</translation>
    </message>
    <message>
        <source>This model has no residual sums, and divides its scores by the square root of the number of tokens, not by that of the width of a head. Neither is computed here.</source>
        <translation>이 모델은 잔차 합이 없고, 점수를 헤드 너비의 제곱근이 아니라 토큰 수의 제곱근으로 나눕니다. 둘 다 여기서는 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>This model reads {0} tokens at most, of which {1} are special.</source>
        <translation>이 모델은 특수 토큰 {1}개를 포함해 토큰을 {0}개까지 읽습니다.</translation>
    </message>
    <message>
        <source>This model reads {0}, not texts.</source>
        <translation>이 모델은 글이 아니라 {0}을(를) 읽습니다.</translation>
    </message>
    <message>
        <source>This needs the package {0}, which is not installed.</source>
        <translation>{0} 패키지가 필요한데 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>This output holds no attention.</source>
        <translation>이 출력에는 어텐션이 없습니다.</translation>
    </message>
    <message>
        <source>This output holds {0}.</source>
        <translation>이 출력에는 {0}이(가) 있습니다.</translation>
    </message>
    <message>
        <source>This process has an application of Qt without widgets.</source>
        <translation>이 프로세스의 Qt 애플리케이션에는 위젯이 없습니다.</translation>
    </message>
    <message>
        <source>This processor has no instructions for bfloat16 (AMX or AVX512-BF16).</source>
        <translation>이 프로세서에는 bfloat16 명령(AMX 또는 AVX512-BF16)이 없습니다.</translation>
    </message>
    <message>
        <source>This question is answered in a panel, which the picture would hide.</source>
        <translation>이 질문은 패널에서 답하는데, 그림이 패널을 가립니다.</translation>
    </message>
    <message>
        <source>This result does not say which run it is of.</source>
        <translation>이 결과에는 어느 실행의 것인지가 없습니다.</translation>
    </message>
    <message>
        <source>This result has no head {0}.</source>
        <translation>이 결과에는 헤드 {0}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>This result has no layer {0}.</source>
        <translation>이 결과에는 층 {0}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>This result has no matrix of layer {0} and head {1}.</source>
        <translation>이 결과에는 레이어 {0}, 헤드 {1}의 행렬이 없습니다.</translation>
    </message>
    <message>
        <source>This result is a page of several parts, which has no axes.</source>
        <translation>이 결과는 여러 부분으로 된 쪽이라 axes에 그릴 수 없습니다.</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>이 실행</translation>
    </message>
    <message>
        <source>This session does not say which checkpoint it was saved with: its text is encoded with the checkpoint in use, without the session&apos;s interventions.</source>
        <translation>이 세션에는 어떤 체크포인트로 저장했는지 적혀 있지 않아, 사용 중인 체크포인트로 문장을 인코딩하며 세션의 개입은 적용하지 않습니다.</translation>
    </message>
    <message>
        <source>This session does not say which checkpoint it was saved with: its text is encoded with the checkpoint in use.</source>
        <translation>이 세션에는 어떤 체크포인트로 저장했는지 적혀 있지 않아, 사용 중인 체크포인트로 문장을 인코딩합니다.</translation>
    </message>
    <message>
        <source>This session holds neither numbers nor a fingerprint: whether it was saved with {0}, which is used now, cannot be checked.</source>
        <translation>이 세션에는 수치도 지문도 없어, 지금 쓰는 {0} 체크포인트로 저장한 것인지 확인할 수 없습니다.</translation>
    </message>
    <message>
        <source>This session holds no fingerprint of the checkpoint of run B: whether that was {0}, which is used now, cannot be checked.</source>
        <translation>이 세션에는 실행 B 체크포인트의 지문이 없어, 지금 쓰는 {0} 체크포인트로 저장한 것인지 확인할 수 없습니다.</translation>
    </message>
    <message>
        <source>This study compares two checkpoints.</source>
        <translation>이 연구는 체크포인트 두 개를 비교합니다.</translation>
    </message>
    <message>
        <source>This study needs one label a text, and a row has several, or none: {0}.</source>
        <translation>이 연구에는 글마다 레이블이 하나씩 필요한데, 레이블이 여러 개이거나 없는 행이 있습니다: {0}.</translation>
    </message>
    <message>
        <source>This text has special tokens only.</source>
        <translation>이 글에는 특수 토큰만 있습니다.</translation>
    </message>
    <message>
        <source>This tokenizer has no token that ends a sentence: it reads no pairs.</source>
        <translation>이 토크나이저에는 문장을 끝내는 토큰이 없어 문장 쌍을 읽지 못합니다.</translation>
    </message>
    <message>
        <source>This tokenizer makes no token of the text.</source>
        <translation>이 토크나이저는 글에서 토큰을 만들지 않습니다.</translation>
    </message>
    <message>
        <source>This training fills about {0}; {1} has {2} left.</source>
        <translation>이 학습에 필요한 공간은 약 {0}인데, {1}에 남은 공간은 {2}입니다.</translation>
    </message>
    <message>
        <source>Those it has: {0}; auto takes the best.</source>
        <translation>쓸 수 있는 장치: {0}. auto는 가장 좋은 것을 고릅니다.</translation>
    </message>
    <message>
        <source>Token embeddings</source>
        <translation>토큰 임베딩</translation>
    </message>
    <message>
        <source>Token {0} is dropped, and has no attention weight to set.</source>
        <translation>토큰 {0}: 빠진 토큰이어서 정할 어텐션 가중치가 없습니다.</translation>
    </message>
    <message>
        <source>Token {0} is dropped, and has no state.</source>
        <translation>토큰 {0}은(는) 빠져 있어 상태가 없습니다.</translation>
    </message>
    <message>
        <source>Token {0} is {1}, which cannot be dropped.</source>
        <translation>토큰 {0}: {1} 토큰은 뺄 수 없습니다.</translation>
    </message>
    <message>
        <source>Token {0} is {1}, which cannot be replaced.</source>
        <translation>토큰 {0}({1}): 바꿀 수 없는 토큰입니다.</translation>
    </message>
    <message>
        <source>Tokens count from 0, special ones among them.</source>
        <translation>토큰은 특수 토큰을 포함해 0부터 셉니다.</translation>
    </message>
    <message>
        <source>Tokens of a text at most</source>
        <translation>글 하나의 최대 토큰 수</translation>
    </message>
    <message>
        <source>Tokens that can stand in for each other each seem to matter little.</source>
        <translation>서로를 대신할 수 있는 토큰은 저마다 중요하지 않은 것처럼 보입니다.</translation>
    </message>
    <message>
        <source>Tokens that the lens is trained on</source>
        <translation>렌즈를 학습할 토큰</translation>
    </message>
    <message>
        <source>Torch&apos;s wrappers within the names of its weights are taken off: {0}.</source>
        <translation>가중치 이름 안에서 torch가 덧붙인 부분을 뗍니다: {0}.</translation>
    </message>
    <message>
        <source>TorchScript, a program and not weights alone</source>
        <translation>가중치만이 아니라 프로그램인 TorchScript</translation>
    </message>
    <message>
        <source>Train one on a file of your own texts: bertviz-app study tuned-lens FILE.</source>
        <translation>내 글이 담긴 파일로 학습하세요: bertviz-app study tuned-lens FILE.</translation>
    </message>
    <message>
        <source>Train the lens on all tokens.</source>
        <translation>모든 토큰으로 렌즈를 학습하세요.</translation>
    </message>
    <message>
        <source>Trained on this computer.</source>
        <translation>이 컴퓨터에서 학습시켰습니다.</translation>
    </message>
    <message>
        <source>Trains a translation of each layer&apos;s vectors for the task head of masked tokens, on the texts of a file; gives its divergence from the model&apos;s predictions, in bits, beside that of the logit lens, on texts that were held out.</source>
        <translation>파일의 글로, 각 레이어의 벡터를 빈칸 과제 헤드가 읽을 수 있게 바꾸는 변환을 학습합니다. 따로 남겨 둔 글에서 모델의 예측과 얼마나 다른지를 로짓 렌즈와 나란히 비트로 나타냅니다.</translation>
    </message>
    <message>
        <source>True or False</source>
        <translation>True 또는 False</translation>
    </message>
    <message>
        <source>Try again later; files already downloaded are not fetched again.</source>
        <translation>나중에 다시 시도하세요. 이미 내려받은 파일은 다시 받지 않습니다.</translation>
    </message>
    <message>
        <source>Try again when the overview is no longer a sample.</source>
        <translation>한눈에 보기가 더 이상 표본이 아닐 때 다시 시도하세요.</translation>
    </message>
    <message>
        <source>Tuned lens</source>
        <translation>조율한 렌즈</translation>
    </message>
    <message>
        <source>Tuned lens: train one</source>
        <translation>조율한 렌즈 학습하기</translation>
    </message>
    <message>
        <source>Two columns</source>
        <translation>두 열</translation>
    </message>
    <message>
        <source>Two interventions contradict each other: {0}, {1}.</source>
        <translation>두 개입이 서로 어긋납니다: {0}, {1}.</translation>
    </message>
    <message>
        <source>Two narrow dense layers, which only texts of this language have trained.</source>
        <translation>이 언어의 글로만 학습한 좁은 밀집층 두 개입니다.</translation>
    </message>
    <message>
        <source>Two runs compared</source>
        <translation>두 실행 비교</translation>
    </message>
    <message>
        <source>Two tensors of the file stand for one parameter, {0}.</source>
        <translation>파일의 텐서 두 개가 같은 매개변수({0})를 나타냅니다.</translation>
    </message>
    <message>
        <source>Two words compared</source>
        <translation>두 단어의 비교</translation>
    </message>
    <message>
        <source>Type a longer text, or include special tokens.</source>
        <translation>더 긴 글을 쓰거나 특수 토큰을 넣으세요.</translation>
    </message>
    <message>
        <source>Type a sentence.</source>
        <translation>문장을 입력하세요.</translation>
    </message>
    <message>
        <source>Type letters, digits or signs.</source>
        <translation>글자, 숫자, 기호를 입력하세요.</translation>
    </message>
    <message>
        <source>Type: pip install sentencepiece. Then open it again.</source>
        <translation>pip install sentencepiece를 실행한 뒤 다시 여세요.</translation>
    </message>
    <message>
        <source>Type: {0}. Then open it again.</source>
        <translation>다음을 입력한 뒤 다시 여세요: {0}.</translation>
    </message>
    <message>
        <source>Unknown tensors that are not used: {0}.</source>
        <translation>알 수 없어 쓰지 않는 텐서: {0}.</translation>
    </message>
    <message>
        <source>Unlike transformers 5, which forgets them, [CLS] and [SEP] are written around a text.</source>
        <translation>[CLS]와 [SEP]를 빠뜨리는 transformers 5와 달리, 글 앞뒤에 붙입니다.</translation>
    </message>
    <message>
        <source>Unlikely: its vocabulary has capital letters or whole syllables.</source>
        <translation>아닌 듯합니다. 어휘에 대문자나 온전한 한글 음절이 있습니다.</translation>
    </message>
    <message>
        <source>Unpack it, and open what it holds.</source>
        <translation>압축을 풀고 안에 든 것을 여세요.</translation>
    </message>
    <message>
        <source>Unset it, or open a checkpoint that is on this computer.</source>
        <translation>설정을 풀거나, 이 컴퓨터에 있는 체크포인트를 여세요.</translation>
    </message>
    <message>
        <source>Unused: leave it out</source>
        <translation>쓰지 않음</translation>
    </message>
    <message>
        <source>Up to {0} special tokens may be ahead of the patches, such as [CLS].</source>
        <translation>패치 앞에는 [CLS] 같은 특수 토큰을 {0}개까지 둘 수 있습니다.</translation>
    </message>
    <message>
        <source>Upper end</source>
        <translation>위 끝</translation>
    </message>
    <message>
        <source>Use the checkpoint with its own code.</source>
        <translation>이 체크포인트는 자체 코드로 사용하세요.</translation>
    </message>
    <message>
        <source>Used by {0} layers, counted once.</source>
        <translation>레이어 {0}개가 함께 쓰며 한 번만 셉니다.</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Value zeroing</source>
        <translation>값 제로화</translation>
    </message>
    <message>
        <source>Value zeroing is computed of up to {0} tokens; this text has {1}.</source>
        <translation>값 제로화는 토큰 {0}개까지 계산합니다. 이 글의 토큰은 {1}개입니다.</translation>
    </message>
    <message>
        <source>Variance</source>
        <translation>분산</translation>
    </message>
    <message>
        <source>Vector: of the first piece, or the mean</source>
        <translation>벡터: 첫 조각 또는 평균</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>벡터</translation>
    </message>
    <message>
        <source>Vote: the class chooses, you reveal the answer</source>
        <translation>투표: 학생들이 고르고, 답은 교사가 공개합니다</translation>
    </message>
    <message>
        <source>Wait until it has ended, or choose another folder.</source>
        <translation>끝날 때까지 기다리거나 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>Weight by key</source>
        <translation>키별 가중치</translation>
    </message>
    <message>
        <source>Weight by the distance from query to key</source>
        <translation>쿼리에서 키까지의 거리별 가중치</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>가중치 감쇠</translation>
    </message>
    <message>
        <source>Weight in layer {0}</source>
        <translation>레이어 {0}의 가중치</translation>
    </message>
    <message>
        <source>Weight on punctuation</source>
        <translation>문장 부호로 가는 가중치</translation>
    </message>
    <message>
        <source>Weight on the antecedent</source>
        <translation>선행사에 두는 가중치</translation>
    </message>
    <message>
        <source>Weight on {0}</source>
        <translation>{0} 가중치</translation>
    </message>
    <message>
        <source>Weights agree with the pass</source>
        <translation>가중치가 계산과 일치</translation>
    </message>
    <message>
        <source>Weights alone: a head may read another one on no text. Feed-forward parts, biases and what positions do to scores are left out.</source>
        <translation>가중치만 본 것이어서, 어떤 글에서도 실제로는 읽지 않을 수 있습니다. 피드포워드와 편향, 위치가 점수에 하는 일은 빠져 있습니다.</translation>
    </message>
    <message>
        <source>Weights that speak against the outcome are left out, and so are feed-forward parts and norms.</source>
        <translation>결과를 낮추는 가중치는 빠지고, 피드포워드와 정규화도 빠져 있습니다.</translation>
    </message>
    <message>
        <source>What a head pairs and writes</source>
        <translation>헤드가 짝짓고 쓰는 것</translation>
    </message>
    <message>
        <source>What a part does through later parts is not counted as its own.</source>
        <translation>뒤의 부분을 거쳐서 하는 일은 그 부분의 몫으로 치지 않습니다.</translation>
    </message>
    <message>
        <source>What an outcome becomes when a word is exchanged for its counterpart, as he for she.</source>
        <translation>he를 she로 바꾸듯 단어를 짝이 되는 단어로 바꾸면 결과가 어떻게 되는지.</translation>
    </message>
    <message>
        <source>What are the outputs of the classifier?</source>
        <translation>분류기의 출력은 무엇인가요?</translation>
    </message>
    <message>
        <source>What are the scores divided by?</source>
        <translation>점수를 무엇으로 나누나요?</translation>
    </message>
    <message>
        <source>What came in is added, and each vector is brought to the same scale.</source>
        <translation>들어온 것을 더하고, 벡터를 모두 같은 크기로 맞춥니다.</translation>
    </message>
    <message>
        <source>What can be saved as tokenizer.json has other special tokens than such a checkpoint.</source>
        <translation>tokenizer.json으로 저장할 수 있는 것은 이런 체크포인트와 특수 토큰이 다릅니다.</translation>
    </message>
    <message>
        <source>What depends on the distance of query and key alone is added; −∞ shuts out what is too far.</source>
        <translation>쿼리와 키의 거리에만 달린 값을 더합니다. −∞는 너무 먼 것을 막습니다.</translation>
    </message>
    <message>
        <source>What differs within the rows is for the file to say; the mean is over all of them.</source>
        <translation>행 안에서 무엇이 다른지는 파일이 정합니다. 평균은 모든 행의 것입니다.</translation>
    </message>
    <message>
        <source>What do the layer norms divide by?</source>
        <translation>레이어 정규화는 무엇으로 나누나요?</translation>
    </message>
    <message>
        <source>What does the classifier read?</source>
        <translation>분류기는 무엇을 읽습니까?</translation>
    </message>
    <message>
        <source>What draws figures was left out of the program.</source>
        <translation>그림을 그리는 부분이 프로그램에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>What each head and each feed-forward part adds to the logit of a predicted piece.</source>
        <translation>예측한 토큰 조각의 로짓에 각 헤드와 각 피드포워드가 더하는 값입니다.</translation>
    </message>
    <message>
        <source>What each pair of tokens adds to the cosine of the two sentence vectors; all pairs add up to it.</source>
        <translation>두 문장 벡터의 코사인에 각 토큰 쌍이 더하는 값입니다. 모든 쌍을 더하면 코사인이 됩니다.</translation>
    </message>
    <message>
        <source>What each token adds to the chosen outcome on the straight way from a text of padding to this one.</source>
        <translation>패딩만 있는 글에서 이 글까지 직선을 따라갈 때 각 토큰이 선택한 결과에 더하는 값입니다.</translation>
    </message>
    <message>
        <source>What each token adds to the chosen outcome, averaged over random orders of showing the tokens.</source>
        <translation>토큰을 무작위 순서로 하나씩 보일 때 각 토큰이 선택한 결과에 더하는 값의 평균입니다.</translation>
    </message>
    <message>
        <source>What each token adds to the chosen outcome, passed back from it operation by operation: layer-wise relevance propagation with rules for attention.</source>
        <translation>선택한 결과를 연산마다 거꾸로 나누어 넘겨 구한, 토큰마다 결과에 더한 값입니다. 어텐션을 위한 규칙을 갖춘 층별 관련도 전파(LRP)입니다.</translation>
    </message>
    <message>
        <source>What heads look at</source>
        <translation>헤드가 보는 곳</translation>
    </message>
    <message>
        <source>What is put in meets a text that it was not computed from; parts can act together only.</source>
        <translation>바꿔 넣은 값은 자신을 계산한 글이 아닌 다른 글과 만납니다. 여러 부분이 함께 있어야만 작용할 수도 있습니다.</translation>
    </message>
    <message>
        <source>What is read is a file, or texts, pairs of texts or rows, not {0}.</source>
        <translation>읽을 것은 파일이거나 글, 글의 쌍, 행들이어야 하는데 {0}입니다.</translation>
    </message>
    <message>
        <source>What is too long for this checkpoint is cut at its beginning, as it declares.</source>
        <translation>이 체크포인트에 너무 긴 글은 체크포인트에 적힌 대로 앞부분을 잘라 냅니다.</translation>
    </message>
    <message>
        <source>What no file says is that of BERT&apos;s own configuration: {0}.</source>
        <translation>파일에 적혀 있지 않은 것은 BERT 기본 설정의 값을 씁니다: {0}.</translation>
    </message>
    <message>
        <source>What splits texts as {0}Tokenizer does was left out of the program.</source>
        <translation>{0}Tokenizer처럼 글을 나누는 부분이 프로그램에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>What the adapter changes is added to what the layer has found so far.</source>
        <translation>어댑터가 고친 것을 레이어가 찾은 것에 더합니다.</translation>
    </message>
    <message>
        <source>What the model predicts</source>
        <translation>모델의 예측</translation>
    </message>
    <message>
        <source>What the task heads of the checkpoint expect, as probabilities.</source>
        <translation>체크포인트의 과제 헤드가 예상하는 것을 확률로 나타냅니다.</translation>
    </message>
    <message>
        <source>What trains models was left out of the program.</source>
        <translation>모델을 학습시키는 부분이 프로그램에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>What was typed. A click goes to its field.</source>
        <translation>입력한 글입니다. 클릭하면 입력란으로 갑니다.</translation>
    </message>
    <message>
        <source>What wrote the key</source>
        <translation>키를 쓴 것</translation>
    </message>
    <message>
        <source>What wrote the query</source>
        <translation>쿼리를 쓴 것</translation>
    </message>
    <message>
        <source>What you chose is selected once it does.</source>
        <translation>고른 것은 텍스트가 나타나면 선택됩니다.</translation>
    </message>
    <message>
        <source>Where are the layer norms?</source>
        <translation>레이어 정규화는 어디에 있습니까?</translation>
    </message>
    <message>
        <source>Where in the text the answer begins and ends.</source>
        <translation>답이 글의 어디에서 시작하고 끝나는지입니다.</translation>
    </message>
    <message>
        <source>Where is the norm outside of the layers?</source>
        <translation>레이어 밖의 정규화는 어디에 있나요?</translation>
    </message>
    <message>
        <source>Where segment 0 is that of padding, as in code after codertimo&apos;s, sentences have 1 and 2.</source>
        <translation>codertimo의 코드를 따른 것처럼 세그먼트 0이 패딩의 것이면 문장은 1과 2입니다.</translation>
    </message>
    <message>
        <source>Whether each head copies what it reads and looks for its like, and how strong and how wide its two matrices are, whatever the text.</source>
        <translation>각 헤드가 읽은 것을 그대로 베끼는지, 닮은 것을 찾는지, 그리고 두 행렬이 얼마나 크고 넓은지를 글과 상관없이 보여 줍니다.</translation>
    </message>
    <message>
        <source>Whether the numbers are right</source>
        <translation>수가 맞는지 확인</translation>
    </message>
    <message>
        <source>Whether the numbers of this run keep the identities that they must keep, and how far each is off.</source>
        <translation>이 실행의 수가 반드시 지켜야 할 등식을 지키는지, 얼마나 어긋나는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Whether the second sentence follows the first.</source>
        <translation>둘째 문장이 첫째 문장에 이어지는지입니다.</translation>
    </message>
    <message>
        <source>Which class the label {0} is cannot be told: {1}.</source>
        <translation>레이블 {0}이(가) 어느 클래스인지 알 수 없습니다: {1}.</translation>
    </message>
    <message>
        <source>Which class the whole text has.</source>
        <translation>글 전체가 어느 클래스인지입니다.</translation>
    </message>
    <message>
        <source>Which earlier head or feed-forward part wrote what is read here. Exact at the given norms. Together {0}.</source>
        <translation>여기에서 읽는 것을 앞선 어느 헤드나 피드포워드가 썼는지 보여 줍니다. 정규화 값을 그대로 둘 때 정확합니다. 합 {0}.</translation>
    </message>
    <message>
        <source>Which heads and layers carried what one pair of tokens adds to the cosine of the two sentence vectors.</source>
        <translation>토큰 한 쌍이 두 문장 벡터의 코사인에 더한 것을 어느 헤드와 레이어가 날랐는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Which heads look at the previous token, the same word and the like more than by chance: p-values, corrected for the number of heads.</source>
        <translation>어느 헤드가 앞 토큰이나 같은 단어 등을 우연보다 많이 보는지를, 헤드의 수에 맞게 보정한 p-값으로 보여 줍니다.</translation>
    </message>
    <message>
        <source>Which output says that sentence 2 follows?</source>
        <translation>어느 출력이 문장 2가 이어진다는 뜻입니까?</translation>
    </message>
    <message>
        <source>Which part is which?</source>
        <translation>어느 것이 어느 부분인가요?</translation>
    </message>
    <message>
        <source>Which piece of the vocabulary was likely at each place.</source>
        <translation>자리마다 어휘의 어느 조각이 그럴듯한지입니다.</translation>
    </message>
    <message>
        <source>Which pieces of the whole vocabulary a head pairs, and which it writes where it looks at a piece, whatever the text.</source>
        <translation>글과 상관없이, 헤드가 어휘 전체에서 어떤 조각끼리 짝짓고 어떤 조각을 볼 때 무엇을 쓰는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Which pieces the task head would predict at each token from the vectors of each layer, after a translation that was trained on your own texts.</source>
        <translation>내 글로 학습한 변환을 거친 뒤, 각 레이어의 벡터에서 과제 헤드가 토큰마다 예측할 조각들입니다.</translation>
    </message>
    <message>
        <source>Which pieces the task head would predict at each token from the vectors of each layer.</source>
        <translation>각 레이어의 벡터로 과제 헤드가 토큰마다 어떤 조각을 예측하는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Which row of the positions has the first token?</source>
        <translation>첫 토큰은 위치 표의 몇 번 행을 씁니까?</translation>
    </message>
    <message>
        <source>Which segment has sentence 1?</source>
        <translation>첫 문장의 세그먼트는 무엇인가요?</translation>
    </message>
    <message>
        <source>Which share of a token&apos;s vector comes from other tokens, after the attention block of each layer.</source>
        <translation>각 레이어의 어텐션을 거친 토큰 벡터에서 다른 토큰이 차지하는 몫입니다.</translation>
    </message>
    <message>
        <source>Which tag each word has.</source>
        <translation>단어마다 태그가 무엇인지입니다.</translation>
    </message>
    <message>
        <source>Which tokens an outcome depends on</source>
        <translation>결과가 어느 토큰에 달려 있는지</translation>
    </message>
    <message>
        <source>Which tokens were exchanged for others.</source>
        <translation>어느 토큰이 다른 것으로 바뀌었는지입니다.</translation>
    </message>
    <message>
        <source>Why the answer is right</source>
        <translation>정답인 까닭</translation>
    </message>
    <message>
        <source>Why this weight?</source>
        <translation>왜 이 가중치일까요?</translation>
    </message>
    <message>
        <source>With all heads</source>
        <translation>모든 헤드가 있을 때</translation>
    </message>
    <message>
        <source>With global attention a token has two value vectors, so that it has no one length.</source>
        <translation>전역 어텐션이 있으면 토큰마다 값 벡터가 둘이라 길이가 하나로 정해지지 않습니다.</translation>
    </message>
    <message>
        <source>With global attention a token has two value vectors, so that no one mean stands for both.</source>
        <translation>전역 어텐션에서는 토큰마다 값 벡터가 둘이어서 하나의 평균으로 대신할 수 없습니다.</translation>
    </message>
    <message>
        <source>With global attention a token has two value vectors, which this analysis does not follow.</source>
        <translation>전역 어텐션에서는 토큰마다 값 벡터가 둘인데, 이 분석은 이를 다루지 않습니다.</translation>
    </message>
    <message>
        <source>With the adapter added.</source>
        <translation>어댑터를 더한 값입니다.</translation>
    </message>
    <message>
        <source>With these parts, numbers of the model are not finite.</source>
        <translation>이 부분들로는 모델의 수가 유한하지 않습니다.</translation>
    </message>
    <message>
        <source>With vocab.txt, tokenizer.json, or a SentencePiece .model: the tokenizer that the model was trained with. Its ids and special tokens are compared with the weights; what fits by chance only gives numbers that mean nothing. An empty field means the checkpoint&apos;s own.</source>
        <translation>vocab.txt, tokenizer.json 또는 SentencePiece .model이 든 폴더로, 모델을 학습할 때 쓴 토크나이저여야 합니다. 번호와 특수 토큰을 가중치와 견주어 봅니다. 크기만 우연히 맞는 토크나이저로는 의미 없는 수가 나옵니다. 비워 두면 체크포인트의 토크나이저를 씁니다.</translation>
    </message>
    <message>
        <source>Within a sentence</source>
        <translation>한 문장 안</translation>
    </message>
    <message>
        <source>Without a screen use bertviz_app.widget(trace) or trace.to_html(path).</source>
        <translation>화면이 없으면 bertviz_app.widget(trace)이나 trace.to_html(path)을 쓰세요.</translation>
    </message>
    <message>
        <source>Word at {0}</source>
        <translation>{0}만큼 떨어진 단어</translation>
    </message>
    <message>
        <source>Word that stands for a mention of several</source>
        <translation>여러 단어로 된 언급을 대표하는 단어</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>Words exchanged</source>
        <translation>단어 바꾸기</translation>
    </message>
    <message>
        <source>Words exchanged in all texts</source>
        <translation>모든 글에서 단어 바꾸기</translation>
    </message>
    <message>
        <source>Words to exchange</source>
        <translation>바꿀 단어</translation>
    </message>
    <message>
        <source>Write [MASK] where a piece is predicted.</source>
        <translation>조각을 예측할 자리에 [MASK]를 쓰세요.</translation>
    </message>
    <message>
        <source>Write a blank line after each sentence.</source>
        <translation>문장마다 뒤에 빈 줄을 넣으세요.</translation>
    </message>
    <message>
        <source>Write a shorter text.</source>
        <translation>더 짧은 글을 쓰세요.</translation>
    </message>
    <message>
        <source>Write a word and its label in each line (CoNLL).</source>
        <translation>한 줄에 단어와 레이블을 하나씩 쓰세요(CoNLL).</translation>
    </message>
    <message>
        <source>Write a word, or choose the mean over all tokens.</source>
        <translation>단어를 하나 쓰거나, 모든 토큰의 평균을 고르세요.</translation>
    </message>
    <message>
        <source>Write a word.</source>
        <translation>단어를 하나 쓰세요.</translation>
    </message>
    <message>
        <source>Write it as 7.7cm, 89mm, 5.5in, 240pt or 600px, or as one of {0}.</source>
        <translation>7.7cm, 89mm, 5.5in, 240pt, 600px처럼 적거나 {0} 중 하나를 적으세요.</translation>
    </message>
    <message>
        <source>Write label=class; the classes are: {0}.</source>
        <translation>레이블=클래스로 쓰세요. 클래스: {0}.</translation>
    </message>
    <message>
        <source>Write the numbers: bertviz-app analyse {0} --out FILE.csv.</source>
        <translation>수치를 저장하세요: bertviz-app analyse {0} --out FILE.csv.</translation>
    </message>
    <message>
        <source>Write the rows into one file.</source>
        <translation>행을 파일 하나에 쓰세요.</translation>
    </message>
    <message>
        <source>Write {0} in it, or give the position of a token.</source>
        <translation>글에 {0} 토큰을 쓰거나 토큰의 위치를 지정하세요.</translation>
    </message>
    <message>
        <source>Write {0}.</source>
        <translation>{0}처럼 쓰세요.</translation>
    </message>
    <message>
        <source>Write “-” before both, or before none.</source>
        <translation>둘 다 앞에 “-”를 쓰거나, 둘 다 쓰지 마세요.</translation>
    </message>
    <message>
        <source>Writes: logit by piece</source>
        <translation>쓰는 것: 조각별 로짓</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>예</translation>
    </message>
    <message>
        <source>[in, out]</source>
        <translation>[입력, 출력]</translation>
    </message>
    <message>
        <source>[out, in]</source>
        <translation>[출력, 입력]</translation>
    </message>
    <message>
        <source>`bertviz-app parameters` lists their names.</source>
        <translation>`bertviz-app parameters` 명령이 이름을 보여 줍니다.</translation>
    </message>
    <message>
        <source>a colour for each layer; near: alike on these texts; axes have no unit</source>
        <translation>색은 레이어, 가까우면 이 글에서 비슷하게 봄. 축에는 단위가 없음</translation>
    </message>
    <message>
        <source>a dictionary of names and parts, or a JSON file</source>
        <translation>이름과 부분의 딕셔너리, 또는 JSON 파일</translation>
    </message>
    <message>
        <source>a dot: significant after correction, {0} of {1} heads</source>
        <translation>점: 보정한 뒤에도 유의한 헤드, {1}개 가운데 {0}개</translation>
    </message>
    <message>
        <source>a dot: the head that finds most of the relation</source>
        <translation>점: 그 관계를 가장 많이 찾는 헤드</translation>
    </message>
    <message>
        <source>a folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>a folder, a name or a model of the hub</source>
        <translation>폴더, 이름 또는 허브의 모델</translation>
    </message>
    <message>
        <source>a head counts from 0</source>
        <translation>헤드는 0부터 셉니다</translation>
    </message>
    <message>
        <source>a lesson has at least one station</source>
        <translation>수업에는 장면이 하나 이상 있어야 합니다</translation>
    </message>
    <message>
        <source>a line: the interval that holds the mean in 95 of 100 samples of the texts</source>
        <translation>선: 글을 다시 뽑았을 때 100번 가운데 95번 평균이 들어가는 구간</translation>
    </message>
    <message>
        <source>a list of names</source>
        <translation>이름 목록</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>a small number above 0</source>
        <translation>0보다 큰 작은 수</translation>
    </message>
    <message>
        <source>a whole number, such as 12</source>
        <translation>정수, 예: 12</translation>
    </message>
    <message>
        <source>a word</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>across {0}, up {1} of the variance</source>
        <translation>가로는 분산의 {0}, 세로는 {1}</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>활성화</translation>
    </message>
    <message>
        <source>activation of torch.nn.TransformerEncoderLayer; relu unless it was given.</source>
        <translation>torch.nn.TransformerEncoderLayer의 activation입니다. 주지 않았으면 relu입니다.</translation>
    </message>
    <message>
        <source>adapter of the language</source>
        <translation>언어별 어댑터</translation>
    </message>
    <message>
        <source>add</source>
        <translation>더하기</translation>
    </message>
    <message>
        <source>add &amp; norm</source>
        <translation>합·정규화</translation>
    </message>
    <message>
        <source>add the bias for the distance</source>
        <translation>거리에 따른 편향 더하기</translation>
    </message>
    <message>
        <source>add the convolution</source>
        <translation>합성곱 더하기</translation>
    </message>
    <message>
        <source>add the input (residual)</source>
        <translation>들어온 값 더하기 (잔차)</translation>
    </message>
    <message>
        <source>add the layer&apos;s input</source>
        <translation>레이어의 입력 더하기 (잔차)</translation>
    </message>
    <message>
        <source>add what the adapter was given</source>
        <translation>어댑터의 입력을 더하기</translation>
    </message>
    <message>
        <source>after</source>
        <translation>이후</translation>
    </message>
    <message>
        <source>all feed-forward parts</source>
        <translation>모든 피드포워드</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>모든 헤드</translation>
    </message>
    <message>
        <source>all heads side by side</source>
        <translation>모든 헤드 이어 붙이기</translation>
    </message>
    <message>
        <source>all heads: outcome {0}</source>
        <translation>모든 헤드가 있을 때 결과 {0}</translation>
    </message>
    <message>
        <source>all others ({0})</source>
        <translation>나머지 ({0})</translation>
    </message>
    <message>
        <source>always the commonest label: {0} · mean F1 {1} · off its own probability by {2}</source>
        <translation>가장 흔한 레이블만 답하면 {0} · 평균 F1 {1} · 스스로 말한 확률과의 차이 {2}</translation>
    </message>
    <message>
        <source>an angle of {0}°</source>
        <translation>각도 {0}°</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>array</source>
        <translation>배열</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>어텐션</translation>
    </message>
    <message>
        <source>before</source>
        <translation>이전</translation>
    </message>
    <message>
        <source>bias of the distance</source>
        <translation>거리의 편향</translation>
    </message>
    <message>
        <source>biases of the layers</source>
        <translation>레이어의 편향</translation>
    </message>
    <message>
        <source>block</source>
        <translation>블록</translation>
    </message>
    <message>
        <source>both rankings agree by {0} (Spearman)</source>
        <translation>두 순위의 일치도(스피어만): {0}</translation>
    </message>
    <message>
        <source>bottleneck of queries and keys</source>
        <translation>쿼리와 키의 병목</translation>
    </message>
    <message>
        <source>bottleneck: the input narrowed</source>
        <translation>병목: 좁아진 입력</translation>
    </message>
    <message>
        <source>bottleneck: the output widened</source>
        <translation>병목: 다시 넓힌 출력</translation>
    </message>
    <message>
        <source>chance in {0}</source>
        <translation>우연히 고르면 {0}</translation>
    </message>
    <message>
        <source>change</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>check</source>
        <translation>점검</translation>
    </message>
    <message>
        <source>class</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>비교 대상</translation>
    </message>
    <message>
        <source>config.json names no family; its “architectures” are of {0}, by whose rules it is read.</source>
        <translation>config.json에 모델 계열이 없습니다. “architectures”의 클래스를 따라 {0}의 규칙으로 읽습니다.</translation>
    </message>
    <message>
        <source>content</source>
        <translation>내용</translation>
    </message>
    <message>
        <source>content and position added up</source>
        <translation>내용과 위치 더하기</translation>
    </message>
    <message>
        <source>content → position</source>
        <translation>내용 → 위치</translation>
    </message>
    <message>
        <source>convolution of the layer&apos;s input</source>
        <translation>레이어 입력의 합성곱</translation>
    </message>
    <message>
        <source>convolutions beside the heads</source>
        <translation>헤드 곁의 합성곱</translation>
    </message>
    <message>
        <source>cosine of “{0}” and “{1}”</source>
        <translation>“{0}”, “{1}”의 코사인</translation>
    </message>
    <message>
        <source>curve</source>
        <translation>곡선</translation>
    </message>
    <message>
        <source>deciles are within 0.1 % of their value</source>
        <translation>십분위수의 오차는 값의 0.1 % 이내</translation>
    </message>
    <message>
        <source>dependent</source>
        <translation>의존어</translation>
    </message>
    <message>
        <source>diag.</source>
        <translation>대각</translation>
    </message>
    <message>
        <source>diagonal</source>
        <translation>대각선</translation>
    </message>
    <message>
        <source>difference {0}, limit {1}</source>
        <translation>차이 {0}, 한계 {1}</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>차원</translation>
    </message>
    <message>
        <source>direction</source>
        <translation>방향</translation>
    </message>
    <message>
        <source>distance in tokens</source>
        <translation>거리(토큰 수)</translation>
    </message>
    <message>
        <source>divergence</source>
        <translation>발산</translation>
    </message>
    <message>
        <source>do_lower_case: false, a “cased” model</source>
        <translation>do_lower_case: false, “cased” 모델</translation>
    </message>
    <message>
        <source>do_lower_case: true, an “uncased” model</source>
        <translation>do_lower_case: true, “uncased” 모델</translation>
    </message>
    <message>
        <source>each time {0}</source>
        <translation>한 번에 {0}</translation>
    </message>
    <message>
        <source>earlier head</source>
        <translation>앞선 헤드</translation>
    </message>
    <message>
        <source>earlier head {0}</source>
        <translation>앞선 헤드 {0}</translation>
    </message>
    <message>
        <source>earlier layer</source>
        <translation>앞선 레이어</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>바꾸기</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>피드포워드</translation>
    </message>
    <message>
        <source>feed-forward part {0} of several</source>
        <translation>여러 피드포워드 가운데 {0}번째</translation>
    </message>
    <message>
        <source>feed-forward: contract</source>
        <translation>피드포워드: 줄이기</translation>
    </message>
    <message>
        <source>feed-forward: expand</source>
        <translation>피드포워드: 넓히기</translation>
    </message>
    <message>
        <source>feed-forward: gate</source>
        <translation>피드포워드: 게이트</translation>
    </message>
    <message>
        <source>first quarter</source>
        <translation>첫째 4분의 1</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰</translation>
    </message>
    <message>
        <source>grey without a number: in no earlier layer than a receiver</source>
        <translation>수 없는 회색: 받는 헤드보다 앞선 층에 있지 않습니다</translation>
    </message>
    <message>
        <source>head</source>
        <translation>지배어</translation>
    </message>
    <message>
        <source>heads have no names: every text is too short</source>
        <translation>모든 글이 너무 짧아 헤드에 이름이 없습니다</translation>
    </message>
    <message>
        <source>heads {0}, feed-forward parts {1}, biases {2}, embeddings {3}</source>
        <translation>헤드 {0}, 피드포워드 {1}, 편향 {2}, 임베딩 {3}</translation>
    </message>
    <message>
        <source>het.</source>
        <translation>혼합</translation>
    </message>
    <message>
        <source>heterogeneous</source>
        <translation>혼합</translation>
    </message>
    <message>
        <source>hidden state</source>
        <translation>은닉 상태</translation>
    </message>
    <message>
        <source>how many tokens</source>
        <translation>토큰 수</translation>
    </message>
    <message>
        <source>id</source>
        <translation>번호(ID)</translation>
    </message>
    <message>
        <source>importance</source>
        <translation>중요도</translation>
    </message>
    <message>
        <source>index</source>
        <translation>인덱스</translation>
    </message>
    <message>
        <source>it is of type {0}, and not what @analysis(...) makes of a function</source>
        <translation>형이 {0}이고, @analysis(...)가 함수로 만든 것이 아닙니다</translation>
    </message>
    <message>
        <source>its head</source>
        <translation>지배어</translation>
    </message>
    <message>
        <source>its key “{0}” is not small letters and digits with hyphens between them</source>
        <translation>키 ‘{0}’은(는) 소문자와 숫자를 붙임표로 이은 것이 아닙니다</translation>
    </message>
    <message>
        <source>its parameters cannot be read: {0}</source>
        <translation>매개변수를 읽을 수 없습니다: {0}</translation>
    </message>
    <message>
        <source>its tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>its {0} is not a text</source>
        <translation>{0} 항목이 글이 아닙니다</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>key (is looked at)</source>
        <translation>키(보이는 토큰)</translation>
    </message>
    <message>
        <source>keys K</source>
        <translation>키 K</translation>
    </message>
    <message>
        <source>kind of part</source>
        <translation>부분의 종류</translation>
    </message>
    <message>
        <source>label</source>
        <translation>정답</translation>
    </message>
    <message>
        <source>labels: {0}</source>
        <translation>레이블: {0}</translation>
    </message>
    <message>
        <source>last position</source>
        <translation>끝 위치</translation>
    </message>
    <message>
        <source>last quarter</source>
        <translation>마지막 4분의 1</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>layer norm</source>
        <translation>레이어 정규화</translation>
    </message>
    <message>
        <source>layer norm: before the adapter</source>
        <translation>레이어 정규화: 어댑터 앞</translation>
    </message>
    <message>
        <source>layer norm: the layer&apos;s output</source>
        <translation>레이어 정규화: 레이어의 출력</translation>
    </message>
    <message>
        <source>layer norm: the layer&apos;s own</source>
        <translation>레이어 정규화: 이 레이어 자체의 것</translation>
    </message>
    <message>
        <source>line {0}</source>
        <translation>{0}행</translation>
    </message>
    <message>
        <source>logit of “{0}” at {1}: {2}, the sum of all parts</source>
        <translation>“{0}”의 로짓, 위치 {1}: {2}, 모든 부분의 합</translation>
    </message>
    <message>
        <source>logit of “{0}” less that of “{1}” at {2}: {3}, the sum of all parts</source>
        <translation>{2}에서 “{0}”의 로짓 − “{1}”의 로짓: {3}, 모든 부분의 합</translation>
    </message>
    <message>
        <source>loralib, the default</source>
        <translation>loralib의 기본값</translation>
    </message>
    <message>
        <source>loss {0} with all, {1} without half of them, {2} without any</source>
        <translation>손실: 모두 있을 때 {0}, 절반이 없을 때 {1}, 하나도 없을 때 {2}</translation>
    </message>
    <message>
        <source>masked word</source>
        <translation>가린 단어</translation>
    </message>
    <message>
        <source>mean of all pairs of words</source>
        <translation>모든 단어 쌍의 평균</translation>
    </message>
    <message>
        <source>mean of all tokens</source>
        <translation>모든 토큰의 평균</translation>
    </message>
    <message>
        <source>mean {0}, standard deviation {1}, from {2} to {3} in 8 of 10 texts</source>
        <translation>평균 {0}, 표준편차 {1}, 글 열 가운데 여덟에서 {2}~{3}</translation>
    </message>
    <message>
        <source>method</source>
        <translation>방법</translation>
    </message>
    <message>
        <source>multiplied by the gate</source>
        <translation>게이트 곱하기</translation>
    </message>
    <message>
        <source>name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>negative, positive</source>
        <translation>부정, 긍정</translation>
    </message>
    <message>
        <source>next sentence</source>
        <translation>다음 문장</translation>
    </message>
    <message>
        <source>nn.Linear stores [out, in]; parameters that code multiplies as x @ W are [in, out].</source>
        <translation>nn.Linear는 [출력, 입력]으로 저장합니다. 코드가 x @ W로 곱하는 매개변수는 [입력, 출력]입니다.</translation>
    </message>
    <message>
        <source>no other token looks at “{0}”</source>
        <translation>‘{0}’ 쪽을 보는 다른 토큰이 없습니다</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>norm_first of torch.nn.TransformerEncoderLayer; False unless it was given.</source>
        <translation>torch.nn.TransformerEncoderLayer의 norm_first입니다. 주지 않았으면 False입니다.</translation>
    </message>
    <message>
        <source>norm_first=False, as in BERT</source>
        <translation>norm_first=False, BERT와 같음</translation>
    </message>
    <message>
        <source>number</source>
        <translation>수</translation>
    </message>
    <message>
        <source>of</source>
        <translation>대상</translation>
    </message>
    <message>
        <source>one token looks at patches</source>
        <translation>한 토큰이 패치를 봄</translation>
    </message>
    <message>
        <source>one word looks at words</source>
        <translation>단어 하나가 보는 단어들</translation>
    </message>
    <message>
        <source>other method</source>
        <translation>다른 방법</translation>
    </message>
    <message>
        <source>other piece</source>
        <translation>다른 조각</translation>
    </message>
    <message>
        <source>outcome with all heads: {0}</source>
        <translation>모든 헤드가 있을 때의 결과: {0}</translation>
    </message>
    <message>
        <source>outcome {0} → {1}</source>
        <translation>결과 {0} → {1}</translation>
    </message>
    <message>
        <source>outcome {0} → {1} ({2})</source>
        <translation>결과 {0} → {1} ({2})</translation>
    </message>
    <message>
        <source>output projection</source>
        <translation>출력 투영</translation>
    </message>
    <message>
        <source>over {0} texts</source>
        <translation>글 {0}개에서</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p-값</translation>
    </message>
    <message>
        <source>pair of pieces</source>
        <translation>조각의 쌍</translation>
    </message>
    <message>
        <source>part</source>
        <translation>부분</translation>
    </message>
    <message>
        <source>piece</source>
        <translation>조각</translation>
    </message>
    <message>
        <source>pooled vector</source>
        <translation>풀링 벡터</translation>
    </message>
    <message>
        <source>pooler</source>
        <translation>풀러</translation>
    </message>
    <message>
        <source>pooler: dense</source>
        <translation>풀러: 밀집 레이어</translation>
    </message>
    <message>
        <source>position</source>
        <translation>위치</translation>
    </message>
    <message>
        <source>position embedding</source>
        <translation>위치 임베딩</translation>
    </message>
    <message>
        <source>position → content</source>
        <translation>위치 → 내용</translation>
    </message>
    <message>
        <source>predicted class</source>
        <translation>예측한 클래스</translation>
    </message>
    <message>
        <source>predicted “{0}”</source>
        <translation>예측 “{0}”</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>확률</translation>
    </message>
    <message>
        <source>probability of the predicted class, %</source>
        <translation>예측한 클래스의 확률, %</translation>
    </message>
    <message>
        <source>projection of the token embedding</source>
        <translation>토큰 임베딩의 투영</translation>
    </message>
    <message>
        <source>projection to the layers&apos; width</source>
        <translation>레이어의 너비로 투영</translation>
    </message>
    <message>
        <source>pruned heads</source>
        <translation>가지치기한 헤드</translation>
    </message>
    <message>
        <source>q, corrected</source>
        <translation>q(보정한 p-값)</translation>
    </message>
    <message>
        <source>queries Q</source>
        <translation>쿼리 Q</translation>
    </message>
    <message>
        <source>queries ÷ {0}, keys × {0}, and moved to the mean of the queries: the attention stays the same</source>
        <translation>쿼리는 {0}(으)로 나누고 키는 {0}을(를) 곱한 뒤 쿼리의 평균으로 옮겼습니다. 어텐션은 그대로입니다</translation>
    </message>
    <message>
        <source>queries → keys</source>
        <translation>쿼리 → 키</translation>
    </message>
    <message>
        <source>query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>query (looks)</source>
        <translation>쿼리(보는 토큰)</translation>
    </message>
    <message>
        <source>query or key</source>
        <translation>쿼리 또는 키</translation>
    </message>
    <message>
        <source>query · key</source>
        <translation>쿼리 · 키</translation>
    </message>
    <message>
        <source>r = {0}</source>
        <translation>상관 r = {0}</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>순위</translation>
    </message>
    <message>
        <source>rank by change</source>
        <translation>변화 순위</translation>
    </message>
    <message>
        <source>rank by importance</source>
        <translation>중요도 순위</translation>
    </message>
    <message>
        <source>ratios, less {0}, that of random directions</source>
        <translation>무작위 방향의 비율 {0}을(를) 뺀 비율</translation>
    </message>
    <message>
        <source>relation</source>
        <translation>의존 관계</translation>
    </message>
    <message>
        <source>replaced or not</source>
        <translation>바뀌었나</translation>
    </message>
    <message>
        <source>rows look at columns</source>
        <translation>행이 열을 봄</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>규칙</translation>
    </message>
    <message>
        <source>scale and shift (NoNorm)</source>
        <translation>곱하고 더하기(NoNorm)</translation>
    </message>
    <message>
        <source>scale and shift: the layer&apos;s output</source>
        <translation>곱하고 더하기: 레이어의 출력</translation>
    </message>
    <message>
        <source>scaled dot product</source>
        <translation>d의 제곱근으로 나누기</translation>
    </message>
    <message>
        <source>score {0}</source>
        <translation>점수 {0}</translation>
    </message>
    <message>
        <source>score {0} with all, {1} without half of them, {2} without any</source>
        <translation>점수: 모두 있을 때 {0}, 절반이 없을 때 {1}, 하나도 없을 때 {2}</translation>
    </message>
    <message>
        <source>second quarter</source>
        <translation>둘째 4분의 1</translation>
    </message>
    <message>
        <source>segment embedding</source>
        <translation>세그먼트 임베딩</translation>
    </message>
    <message>
        <source>sentence vector</source>
        <translation>문장 벡터</translation>
    </message>
    <message>
        <source>separators</source>
        <translation>구분 토큰</translation>
    </message>
    <message>
        <source>sin and cos of pos / 10000^(2·⌊column / 2⌋ / width): a frequency for each pair</source>
        <translation>pos / 10000^(2·⌊열 / 2⌋ / 너비)의 sin과 cos: 열 두 개마다 주파수 하나</translation>
    </message>
    <message>
        <source>sin or cos of pos / 10000^(2·column / width): a frequency for each column</source>
        <translation>pos / 10000^(2·열 / 너비)의 sin 또는 cos: 열마다 주파수 하나</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>소프트맥스</translation>
    </message>
    <message>
        <source>standard error</source>
        <translation>표준 오차</translation>
    </message>
    <message>
        <source>standard error unknown: more orders are needed</source>
        <translation>표준 오차를 알 수 없음: 순서가 더 필요합니다</translation>
    </message>
    <message>
        <source>standard error {0}</source>
        <translation>표준 오차 {0}</translation>
    </message>
    <message>
        <source>statistic over the texts</source>
        <translation>텍스트에 대한 통계량</translation>
    </message>
    <message>
        <source>step</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>합</translation>
    </message>
    <message>
        <source>sum = logit</source>
        <translation>합 = 로짓</translation>
    </message>
    <message>
        <source>sum of the embeddings</source>
        <translation>임베딩의 합</translation>
    </message>
    <message>
        <source>tag of each word</source>
        <translation>단어마다 태그</translation>
    </message>
    <message>
        <source>tanh brings every number between −1 and 1: classifiers read this vector.</source>
        <translation>tanh로 모든 수를 −1과 1 사이로 만듭니다. 분류기가 읽는 벡터입니다.</translation>
    </message>
    <message>
        <source>tanh: the pooled vector</source>
        <translation>tanh: 풀링 벡터</translation>
    </message>
    <message>
        <source>task embedding</source>
        <translation>과제 임베딩</translation>
    </message>
    <message>
        <source>task head&apos;s biases</source>
        <translation>과제 헤드의 편향</translation>
    </message>
    <message>
        <source>the dependent word</source>
        <translation>의존어</translation>
    </message>
    <message>
        <source>the layer&apos;s input</source>
        <translation>레이어의 입력</translation>
    </message>
    <message>
        <source>the nearest candidate in {0}</source>
        <translation>가장 가까운 후보는 {0}</translation>
    </message>
    <message>
        <source>the nearest same word in {0}</source>
        <translation>앞에 나온 가장 가까운 같은 단어는 {0}</translation>
    </message>
    <message>
        <source>the number of a row, 0 to 2</source>
        <translation>행의 번호, 0에서 2까지</translation>
    </message>
    <message>
        <source>the outcome is {0} in run A, {1} in run B</source>
        <translation>결과는 실행 A에서 {0}, 실행 B에서 {1}</translation>
    </message>
    <message>
        <source>the right numbers, such as 0.45 0.33 0.22</source>
        <translation>옳은 수, 예: 0.45 0.33 0.22</translation>
    </message>
    <message>
        <source>the text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>the word at {0} in {1}</source>
        <translation>거리 {0}의 단어는 {1}</translation>
    </message>
    <message>
        <source>there is another analysis with the key “{0}”</source>
        <translation>키가 ‘{0}’인 분석이 이미 있습니다</translation>
    </message>
    <message>
        <source>there is no token at position {0}</source>
        <translation>위치 {0}에는 토큰이 없습니다</translation>
    </message>
    <message>
        <source>third quarter</source>
        <translation>셋째 4분의 1</translation>
    </message>
    <message>
        <source>token</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>token embedding</source>
        <translation>토큰 임베딩</translation>
    </message>
    <message>
        <source>tokens {0}, biases and softmax {1}, outcome {2}</source>
        <translation>토큰 {0}, 편향과 소프트맥스 {1}, 결과 {2}</translation>
    </message>
    <message>
        <source>v + d</source>
        <translation>세+대</translation>
    </message>
    <message>
        <source>value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>values V</source>
        <translation>값 V</translation>
    </message>
    <message>
        <source>vector</source>
        <translation>벡터</translation>
    </message>
    <message>
        <source>vector of [CLS]</source>
        <translation>[CLS]의 벡터</translation>
    </message>
    <message>
        <source>vert.</source>
        <translation>세로</translation>
    </message>
    <message>
        <source>vertical</source>
        <translation>세로</translation>
    </message>
    <message>
        <source>vertical and diagonal</source>
        <translation>세로와 대각선</translation>
    </message>
    <message>
        <source>way</source>
        <translation>방식</translation>
    </message>
    <message>
        <source>weighted sum Z</source>
        <translation>가중합 Z</translation>
    </message>
    <message>
        <source>weights × values</source>
        <translation>가중치 × 값</translation>
    </message>
    <message>
        <source>what it returns is annotated as {0}, which is no result</source>
        <translation>돌려주는 값의 형이 {0}(으)로 적혀 있는데, 이것은 결과가 아닙니다</translation>
    </message>
    <message>
        <source>what wrote the vector</source>
        <translation>벡터를 쓴 것</translation>
    </message>
    <message>
        <source>widen</source>
        <translation>넓히기</translation>
    </message>
    <message>
        <source>with the second word less with the first</source>
        <translation>둘째 단어로 바꾼 결과에서 첫째 단어의 결과를 뺀 값</translation>
    </message>
    <message>
        <source>x @ W, or Conv1D of GPT-2</source>
        <translation>x @ W, 또는 GPT-2의 Conv1D</translation>
    </message>
    <message>
        <source>{0} are two numbers, not {1}.</source>
        <translation>{0}은(는) 수 둘이어야 하는데 {1}입니다.</translation>
    </message>
    <message>
        <source>{0} at position {1}</source>
        <translation>{0}, 위치 {1}</translation>
    </message>
    <message>
        <source>{0} cannot be read as {1}: {2}.</source>
        <translation>{0}을(를) {1}(으)로 읽을 수 없습니다: {2}.</translation>
    </message>
    <message>
        <source>{0} cannot be read: it is no JSON object.</source>
        <translation>{0}을(를) 읽을 수 없습니다. JSON 객체가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} cannot be {1}: there are 0 to {2}.</source>
        <translation>{0}은(는) {1}일 수 없습니다. 0부터 {2}까지 있습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be “{1}”.</source>
        <translation>{0}은(는) “{1}”일 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} describes no tokenizer: it has no object “{1}”.</source>
        <translation>{0}은(는) 토크나이저를 나타내지 않습니다. “{1}” 객체가 없습니다.</translation>
    </message>
    <message>
        <source>{0} does not hold a whole model. {1}</source>
        <translation>{0}에 모델 전체가 들어 있지 않습니다. {1}</translation>
    </message>
    <message>
        <source>{0} does not show which column has the second texts.</source>
        <translation>{0}에서는 어느 열에 둘째 글이 있는지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} has a text of {1} characters among the rules of its {2}; at most {3} are taken.</source>
        <translation>{0}의 {2} 규칙에 {1}자짜리 글이 있습니다. 최대 {3}자까지 받습니다.</translation>
    </message>
    <message>
        <source>{0} has labels of characters; labels of words are needed.</source>
        <translation>{0}에는 글자마다 레이블이 있습니다. 단어마다 레이블이 있어야 합니다.</translation>
    </message>
    <message>
        <source>{0} has no columns: it is read as text.</source>
        <translation>{0}: 열이 없어서 글로 읽습니다.</translation>
    </message>
    <message>
        <source>{0} has no examples of heads.</source>
        <translation>{0}에는 헤드의 예문이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no names of columns that are known: its first row may be names, or texts.</source>
        <translation>{0}에는 아는 열 이름이 없습니다. 첫 행이 이름인지 글인지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no probe.</source>
        <translation>{0}에는 프로브가 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no “model_type”, and what recognises models by their weights was left out of the program.</source>
        <translation>{0}에 “model_type”이 없고, 가중치로 모델을 알아보는 부분이 프로그램에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>{0} has not as many layers and heads as {1}.</source>
        <translation>{0}의 레이어와 헤드 수가 {1}과(와) 다릅니다.</translation>
    </message>
    <message>
        <source>{0} has one column only: {1}.</source>
        <translation>{0}에는 열이 하나뿐입니다: {1}.</translation>
    </message>
    <message>
        <source>{0} has several parts: {1}.</source>
        <translation>{0}은(는) 여러 부분으로 되어 있습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} has several sheets with rows: {1}.</source>
        <translation>{0}에는 행이 있는 시트가 여럿입니다: {1}.</translation>
    </message>
    <message>
        <source>{0} has {1} of the folders checkpoint-N.</source>
        <translation>{0}에 checkpoint-N 폴더가 {1}개 있습니다.</translation>
    </message>
    <message>
        <source>{0} heads cannot share {1} numbers.</source>
        <translation>헤드 {0}개가 수 {1}개를 똑같이 나눌 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no attention weights alone.</source>
        <translation>{0}에는 어텐션 가중치만 따로 들어 있지 않습니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must have lists of heads, 0 to {1}, by the numbers of layers, 0 to {2}.</source>
        <translation>config.json의 {0}에는 레이어 번호(0~{2})마다 헤드 번호(0~{1}) 목록이 있어야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json names every head of every layer.</source>
        <translation>config.json의 {0}에 모든 레이어의 모든 헤드가 적혀 있습니다.</translation>
    </message>
    <message>
        <source>{0} in it is packed by {1}: unpack it, and open what it holds.</source>
        <translation>폴더 안의 {0}은(는) {1}(으)로 압축되어 있습니다. 압축을 풀고 그 안에 있는 것을 여세요.</translation>
    </message>
    <message>
        <source>{0} in {1} of the texts</source>
        <translation>글의 {1}에서 {0}</translation>
    </message>
    <message>
        <source>{0} is a ZIP archive: {1}.</source>
        <translation>{0}은(는) ZIP 압축 파일입니다: {1}.</translation>
    </message>
    <message>
        <source>{0} is a folder, and none that “save_to_disk” of datasets wrote.</source>
        <translation>{0}은(는) 폴더이지만, datasets의 “save_to_disk”로 저장한 폴더가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is a link to {1}, where there is no file.</source>
        <translation>{0}은(는) {1}(으)로 이어지는 링크인데, 그곳에 파일이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is a list of texts, not of {1}.</source>
        <translation>{0}은(는) 글의 목록이어야 하는데 {1}의 목록입니다.</translation>
    </message>
    <message>
        <source>{0} is a list of texts, not {1}.</source>
        <translation>{0}은(는) 글의 목록이어야 하는데 {1}입니다.</translation>
    </message>
    <message>
        <source>{0} is a table ({1}), not a text a line; its columns: {2}.</source>
        <translation>{0}은(는) 한 줄에 글 하나가 아니라 표({1})입니다. 열: {2}.</translation>
    </message>
    <message>
        <source>{0} is a text, not a file of weights. It begins: {1}</source>
        <translation>{0}은(는) 가중치 파일이 아니라 글입니다. 첫머리: {1}</translation>
    </message>
    <message>
        <source>{0} is a web page, not a file of weights.</source>
        <translation>{0}은(는) 가중치 파일이 아니라 웹 페이지입니다.</translation>
    </message>
    <message>
        <source>{0} is damaged, or no file of weights: no file of torch&apos;s begins with the bytes {1}.</source>
        <translation>{0}은(는) 손상되었거나 가중치 파일이 아닙니다. torch가 저장한 파일은 {1} 바이트로 시작하지 않습니다.</translation>
    </message>
    <message>
        <source>{0} is damaged: it is empty.</source>
        <translation>{0}은(는) 손상되었습니다. 비어 있습니다.</translation>
    </message>
    <message>
        <source>{0} is damaged: {1} in it does not have the CRC-32 that was saved with it.</source>
        <translation>{0}이(가) 손상되었습니다. 안에 든 {1}의 CRC-32가 함께 저장된 값과 다릅니다.</translation>
    </message>
    <message>
        <source>{0} is in the first layer: no head is earlier.</source>
        <translation>{0}은(는) 첫 레이어에 있어 앞선 헤드가 없습니다.</translation>
    </message>
    <message>
        <source>{0} is no file: it is a folder.</source>
        <translation>{0}은(는) 파일이 아니라 폴더입니다.</translation>
    </message>
    <message>
        <source>{0} is no file: it is a pipe, a socket or a device.</source>
        <translation>{0}은(는) 파일이 아니라 파이프나 소켓, 장치입니다.</translation>
    </message>
    <message>
        <source>{0} is no lens.</source>
        <translation>{0}은(는) 렌즈가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is no text, but binary: {1}.</source>
        <translation>{0}은(는) 텍스트가 아니라 이진 파일입니다: {1}.</translation>
    </message>
    <message>
        <source>{0} is no text: it holds bytes that no text has, such as {1}.</source>
        <translation>{0}은(는) 텍스트가 아닙니다. {1}처럼 텍스트에 없는 바이트가 들어 있습니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}: column {2}.</source>
        <translation>{0}: {1}. 읽는 열은 {2}입니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}: label in column {2}, text in column {3}.</source>
        <translation>{0}: {1}. 레이블은 {2} 열, 글은 {3} 열입니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}: label in column {2}, texts in columns {3} and {4}.</source>
        <translation>{0}: {1}. 레이블은 {2} 열, 두 글은 {3} 열과 {4} 열입니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}: spans in column {2}, {3} texts.</source>
        <translation>{0}: {1}. {2} 열에 구간이 있고 글은 {3}개입니다.</translation>
    </message>
    <message>
        <source>{0} is {1}, which the package {2} reads; it is not installed.</source>
        <translation>{0}은(는) {1}입니다. 이것을 읽는 패키지 {2}이(가) 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>{0} lacks {1}.</source>
        <translation>{0}에 {1}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>{0} leaves out {1}, which is to be shown at first.</source>
        <translation>처음에 보일 {1}이(가) {0}에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>{0} of the last layer</source>
        <translation>마지막 레이어의 {0}</translation>
    </message>
    <message>
        <source>{0} of {1} texts are right ({2} to {3})</source>
        <translation>글 {1}개 가운데 {0} 맞음 ({2}~{3})</translation>
    </message>
    <message>
        <source>{0} rows; head {1}·{2} leads to the antecedent in {3}</source>
        <translation>{0}행, 헤드 {1}·{2}이(가) 선행사로 이어지는 비율 {3}</translation>
    </message>
    <message>
        <source>{0} sentences occur again, in the same part.</source>
        <translation>다시 나오는 문장 {0}개는 같은 쪽에 두었습니다.</translation>
    </message>
    <message>
        <source>{0} states have the same vector in every text, and no CKA.</source>
        <translation>은닉 상태 {0}개는 모든 글에서 벡터가 같아 CKA가 없습니다.</translation>
    </message>
    <message>
        <source>{0} texts</source>
        <translation>글 {0}개</translation>
    </message>
    <message>
        <source>{0} texts, {1} heads</source>
        <translation>글 {0}개, 헤드 {1}개</translation>
    </message>
    <message>
        <source>{0} to {1} tokens</source>
        <translation>토큰 {0}~{1}개</translation>
    </message>
    <message>
        <source>{0} tokens that the other checkpoint cuts differently are left out.</source>
        <translation>다른 체크포인트가 다르게 자른 토큰 {0}개는 뺐습니다.</translation>
    </message>
    <message>
        <source>{0} would fill {1} MB when it is unpacked.</source>
        <translation>{0}은(는) 압축을 풀면 {1} MB가 됩니다.</translation>
    </message>
    <message>
        <source>{0} × {1} patches are {2}, but there is attention of {3}.</source>
        <translation>패치 {0} × {1}은(는) {2}개인데 어텐션은 {3}개의 것입니다.</translation>
    </message>
    <message>
        <source>{0}, bound</source>
        <translation>{0}, 한계</translation>
    </message>
    <message>
        <source>{0}, equal weights</source>
        <translation>{0}, 같은 가중치</translation>
    </message>
    <message>
        <source>{0}, words shuffled</source>
        <translation>{0}, 섞은 단어</translation>
    </message>
    <message>
        <source>{0}, {1} words: head {2}·{3} finds {4} ({5} to {6}); the word at {7} is it in {8}. The best of all heads on these very words.</source>
        <translation>{0}, 단어 {1}개: 헤드 {2}·{3}이(가) {4}({5}~{6})를 찾습니다. 거리 {7}의 단어가 맞는 비율은 {8}입니다. 바로 이 단어들에서 고른 가장 나은 헤드입니다.</translation>
    </message>
    <message>
        <source>{0}: {1} labels, of which a row may have several or none ({2} on average): each is learnt by itself, and predicted from a probability of {3} on, which is not chosen on any rows.</source>
        <translation>{0}: 레이블은 {1}가지이고, 한 행에 여러 개 있을 수도, 하나도 없을 수도 있습니다(평균 {2}개). 레이블마다 따로 학습하며, 데이터로 고르지 않은 확률 {3}부터 예측한 것으로 봅니다.</translation>
    </message>
    <message>
        <source>{0}: {1} nats apart</source>
        <translation>{0}: {1}나트 떨어짐</translation>
    </message>
    <message>
        <source>“Wqkv” and “mlp.gated_layers” are MosaicBERT&apos;s, whose config.json has “{0}”: if it is one, write in config.json how many tokens it was trained with, as {1}.</source>
        <translation>“Wqkv”와 “mlp.gated_layers”는 MosaicBERT의 이름이며, 그 config.json에는 “{0}”이(가) 있습니다. MosaicBERT라면 학습한 토큰 수를 config.json에 {1}처럼 적으세요.</translation>
    </message>
    <message>
        <source>“{0}” and “{1}”: cosine {2} as embeddings, {3} after the last layer</source>
        <translation>“{0}”, “{1}”: 코사인은 임베딩에서 {2}, 마지막 레이어 다음에 {3}</translation>
    </message>
    <message>
        <source>“{0}” cannot be drawn as “{1}”.</source>
        <translation>“{0}” 분석은 “{1}” 보기로 그릴 수 없습니다.</translation>
    </message>
    <message>
        <source>“{0}” compares what it asks for (its query) with what each word offers (its key). “{1}” scores {2}.</source>
        <translation>‘{0}’ 토큰은 자기가 묻는 것(쿼리)을 각 토큰이 내놓는 것(키)과 견줍니다. ‘{1}’의 점수는 {2}입니다.</translation>
    </message>
    <message>
        <source>“{0}” has no picture: its result is a table of numbers.</source>
        <translation>“{0}” 분석에는 그림이 없습니다. 결과가 수치 표입니다.</translation>
    </message>
    <message>
        <source>“{0}” is a view itself.</source>
        <translation>“{0}” 자체가 보기입니다.</translation>
    </message>
    <message>
        <source>“{0}” is no length of a figure.</source>
        <translation>“{0}”은(는) 그림의 길이가 될 수 없습니다.</translation>
    </message>
    <message>
        <source>“{0}” is no length.</source>
        <translation>“{0}”은(는) 길이가 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is no number of dots to an inch.</source>
        <translation>“{0}”은(는) 인치당 점의 수가 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is of the view “{1}”, not of “{2}”.</source>
        <translation>‘{0}’은(는) ‘{2}’ 보기가 아니라 ‘{1}’ 보기에 쓰입니다.</translation>
    </message>
    <message>
        <source>“{0}” itself has rank {1}</source>
        <translation>“{0}” 자신은 {1}위</translation>
    </message>
    <message>
        <source>“{0}” – “{1}” add {2} to the cosine</source>
        <translation>“{0}” – “{1}”의 쌍이 코사인에 더하는 값: {2}</translation>
    </message>
    <message>
        <source>“{0}”, the part of {1}, is none that there is.</source>
        <translation>{1}의 부분 ‘{0}’은(는) 없는 부분입니다.</translation>
    </message>
    <message>
        <source>“{0}”: not tested for this model, so not shown.</source>
        <translation>‘{0}’: 이 모델에서는 검사하지 않아 보여 주지 않습니다.</translation>
    </message>
    <message>
        <source>−∞ shuts out every later key: a token sees itself and what comes before it.</source>
        <translation>−∞로 뒤에 오는 키를 모두 제외합니다. 토큰은 자신과 그 앞만 봅니다.</translation>
    </message>
    <message>
        <source>−∞ shuts out far blocks of tokens; the first block counts several times, so a number is added.</source>
        <translation>−∞로 먼 블록을 제외하고, 여러 번 세는 첫 블록에는 수를 더합니다.</translation>
    </message>
    <message>
        <source>√ head width</source>
        <translation>√ 헤드 너비</translation>
    </message>
    <message>
        <source>√ model width</source>
        <translation>√ 모델 너비</translation>
    </message>
    <message>
        <source>√(variance + epsilon), as nn.LayerNorm</source>
        <translation>√(분산 + 엡실론), nn.LayerNorm처럼</translation>
    </message>
    <message>
        <source>a number, 0 or more</source>
        <translation>0 이상의 수</translation>
    </message>
    <message>
        <source>a right number is not finite</source>
        <translation>정답인 수가 유한하지 않습니다</translation>
    </message>
    <message>
        <source>a whole number above 0</source>
        <translation>0보다 큰 정수</translation>
    </message>
    <message>
        <source>an object with ids as keys</source>
        <translation>ID를 키로 하는 객체</translation>
    </message>
    <message>
        <source>an object with “content”</source>
        <translation>“content”가 있는 객체</translation>
    </message>
    <message>
        <source>another station has the key “{0}” already</source>
        <translation>“{0}” 키는 다른 장면에 이미 있습니다</translation>
    </message>
    <message>
        <source>attention_window in config.json must be one even number from 2 on, or a list of {0} of them.</source>
        <translation>config.json의 attention_window는 2 이상의 짝수 하나이거나 그런 수 {0}개의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>bfloat16 can be chosen on a CPU or with CUDA, not with MPS.</source>
        <translation>bfloat16은 CPU나 CUDA에서 고를 수 있으며 MPS에서는 고를 수 없습니다.</translation>
    </message>
    <message>
        <source>broad</source>
        <translation>넓게 봄</translation>
    </message>
    <message>
        <source>comma</source>
        <translation>쉼표</translation>
    </message>
    <message>
        <source>config.json has names for {0} classes, but there are {1}: they are numbered.</source>
        <translation>config.json에는 클래스 {0}개의 이름이 있지만 클래스는 {1}개입니다. 그래서 번호로 보입니다.</translation>
    </message>
    <message>
        <source>config.json has settings that are not known here: {0}. If they change what the model computes, the numbers are not those of its own code.</source>
        <translation>config.json에 여기서 모르는 설정이 있습니다: {0}. 이것이 계산을 바꾼다면, 여기 나오는 수는 모델 자신의 코드가 내는 수와 다릅니다.</translation>
    </message>
    <message>
        <source>config.json lacks {0}.</source>
        <translation>config.json에 {0} 항목이 없습니다.</translation>
    </message>
    <message>
        <source>config.json names code of its own, {0}, which is not run.</source>
        <translation>config.json에 자체 코드({0})가 적혀 있으나 실행하지 않습니다.</translation>
    </message>
    <message>
        <source>dist.</source>
        <translation>거리</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>빈 값</translation>
    </message>
    <message>
        <source>entropy</source>
        <translation>엔트로피</translation>
    </message>
    <message>
        <source>every head is right</source>
        <translation>모든 헤드가 정답이 됩니다</translation>
    </message>
    <message>
        <source>it has {0} items instead of {1}</source>
        <translation>항목이 {0}개입니다({1}개여야 합니다)</translation>
    </message>
    <message>
        <source>it lacks heads that are muted</source>
        <translation>끈 헤드가 이 체크포인트에 없습니다</translation>
    </message>
    <message>
        <source>it needs either “measure”, or “query” and “key”</source>
        <translation>“measure”, 또는 “query”와 “key”가 있어야 합니다</translation>
    </message>
    <message>
        <source>its tokenizer lacks tokens that are replaced, or what replaces them</source>
        <translation>교체한 토큰이나 교체에 쓴 조각이 이 체크포인트의 토크나이저에 없습니다</translation>
    </message>
    <message>
        <source>its {0} layers, {1} heads and width of {2} are not those that were saved</source>
        <translation>레이어 {0}개, 헤드 {1}개, 너비 {2}의 크기가 저장된 것과 다릅니다</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>자기 자신</translation>
    </message>
    <message>
        <source>layer_types in config.json must be a list of {0} names, one a layer.</source>
        <translation>config.json의 layer_types는 레이어마다 하나씩, 이름 {0}개의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>llama.cpp&apos;s, with rounded weights</source>
        <translation>반올림된 가중치를 담는 llama.cpp 형식</translation>
    </message>
    <message>
        <source>max</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>max_seq_length must be a whole number from 1 on.</source>
        <translation>max_seq_length는 1 이상의 정수여야 합니다.</translation>
    </message>
    <message>
        <source>max_trained_positions in config.json must be a whole number from 1.</source>
        <translation>config.json의 max_trained_positions는 1 이상의 정수여야 합니다.</translation>
    </message>
    <message>
        <source>next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>다음 토큰</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>nothing has been trained yet</source>
        <translation>아직 학습한 것이 없습니다</translation>
    </message>
    <message>
        <source>on {0}</source>
        <translation>{0}에 집중</translation>
    </message>
    <message>
        <source>one of {0}</source>
        <translation>{0} 중 하나</translation>
    </message>
    <message>
        <source>open ends</source>
        <translation>마침표 없는 문장</translation>
    </message>
    <message>
        <source>open_model has no argument “{0}”.</source>
        <translation>open_model에는 “{0}” 인수가 없습니다.</translation>
    </message>
    <message>
        <source>pooling_mode must be a name or a list of names.</source>
        <translation>pooling_mode는 이름이거나 이름 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>position_buckets in config.json is {0}, which does not fit {1} distances.</source>
        <translation>config.json의 position_buckets가 {0}인데, 거리 {1}개와 맞지 않습니다.</translation>
    </message>
    <message>
        <source>prev</source>
        <translation>이전</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>이전 토큰</translation>
    </message>
    <message>
        <source>rust-bert&apos;s</source>
        <translation>rust-bert 형식</translation>
    </message>
    <message>
        <source>same</source>
        <translation>자신</translation>
    </message>
    <message>
        <source>same word</source>
        <translation>같은 단어</translation>
    </message>
    <message>
        <source>semicolon</source>
        <translation>세미콜론</translation>
    </message>
    <message>
        <source>sentence-transformers begins each text with the prompt “{0}”; here it is added only if you do.</source>
        <translation>sentence-transformers는 글마다 “{0}” 프롬프트를 앞에 붙입니다. 여기서는 사용자가 고를 때만 붙입니다.</translation>
    </message>
    <message>
        <source>sentence-transformers reads {0} tokens at most (max_seq_length), and so are texts read here.</source>
        <translation>sentence-transformers는 토큰을 {0}개까지만 읽습니다(max_seq_length). 여기서도 그렇게 읽습니다.</translation>
    </message>
    <message>
        <source>separated by {0}</source>
        <translation>구분자 {0}</translation>
    </message>
    <message>
        <source>separated by {0}, with cells in quotes</source>
        <translation>구분자 {0}, 따옴표로 묶은 칸</translation>
    </message>
    <message>
        <source>several tokens are equally right</source>
        <translation>똑같이 맞는 토큰이 여럿입니다</translation>
    </message>
    <message>
        <source>single texts</source>
        <translation>짝 없는 글</translation>
    </message>
    <message>
        <source>tab</source>
        <translation>탭</translation>
    </message>
    <message>
        <source>text</source>
        <translation>문자열</translation>
    </message>
    <message>
        <source>the claim “{0} {1} {2}” is false: {3}, {4}</source>
        <translation>“{0} {1} {2}” 주장이 사실이 아닙니다: {3}, {4}</translation>
    </message>
    <message>
        <source>the key “{0}” is that of another lesson: give it one of its own</source>
        <translation>key “{0}”: 다른 수업이 쓰고 있습니다. 다른 이름을 붙이세요</translation>
    </message>
    <message>
        <source>the key “{0}” is there twice</source>
        <translation>“{0}” 키가 두 번 나옵니다</translation>
    </message>
    <message>
        <source>the model has no pooler</source>
        <translation>이 모델에는 풀러가 없습니다</translation>
    </message>
    <message>
        <source>the number of a segment, 0 or 1</source>
        <translation>세그먼트의 번호, 0 또는 1</translation>
    </message>
    <message>
        <source>the number of an output, 0 or 1</source>
        <translation>출력 번호 0 또는 1</translation>
    </message>
    <message>
        <source>the number of parameters is not known</source>
        <translation>매개변수 수를 알 수 없습니다</translation>
    </message>
    <message>
        <source>the run has nothing for the field “{0}”</source>
        <translation>이 실행에는 “{0}” 자리에 넣을 것이 없습니다</translation>
    </message>
    <message>
        <source>the task is done before the learner does anything</source>
        <translation>학습자가 아무것도 하지 않아도 과제가 끝나 있습니다</translation>
    </message>
    <message>
        <source>the text has the field “{0}”, which is not one of {1}</source>
        <translation>글에 “{0}” 자리가 있는데, 다음 중 하나여야 합니다: {1}</translation>
    </message>
    <message>
        <source>the text in “{0}” is empty</source>
        <translation>“{0}” 글이 비어 있습니다</translation>
    </message>
    <message>
        <source>the two languages have different fields in braces: “{0}”, “{1}”</source>
        <translation>두 언어의 중괄호 자리가 서로 다릅니다: “{0}”, “{1}”</translation>
    </message>
    <message>
        <source>the values do not grow: {0}</source>
        <translation>값이 커지는 차례가 아닙니다: {0}</translation>
    </message>
    <message>
        <source>there is no index {0}</source>
        <translation>{0}번 자리가 없습니다</translation>
    </message>
    <message>
        <source>there is no layer {0}, head {1}</source>
        <translation>레이어 {0}, 헤드 {1}: 그런 헤드가 없습니다</translation>
    </message>
    <message>
        <source>there is no text yet: the first station must set one</source>
        <translation>아직 문장이 없습니다. 첫 장면에서 정해야 합니다</translation>
    </message>
    <message>
        <source>there is no token “{0}”</source>
        <translation>“{0}” 토큰이 없습니다</translation>
    </message>
    <message>
        <source>there is no result of “{0}”</source>
        <translation>“{0}” 분석의 결과가 없습니다</translation>
    </message>
    <message>
        <source>Above 0 the first piece is likelier, below 0 the second.</source>
        <translation>0보다 크면 앞 조각이, 작으면 뒤 조각이 더 그럴듯합니다.</translation>
    </message>
    <message>
        <source>By embeddings</source>
        <translation>임베딩별</translation>
    </message>
    <message>
        <source>Click a cell to list its texts.</source>
        <translation>칸을 클릭하면 그 글들이 아래에 나옵니다.</translation>
    </message>
    <message>
        <source>Click a dot to list its texts.</source>
        <translation>점을 클릭하면 그 글들이 아래에 나옵니다.</translation>
    </message>
    <message>
        <source>Click a piece to follow it through the layers.</source>
        <translation>조각을 클릭하면 레이어마다 그 조각을 따라갑니다.</translation>
    </message>
    <message>
        <source>Content and position</source>
        <translation>내용과 위치</translation>
    </message>
    <message>
        <source>Steps of the curve</source>
        <translation>곡선의 단계 수</translation>
    </message>
    <message>
        <source>Strongest pairs</source>
        <translation>가장 강한 쌍의 수</translation>
    </message>
    <message>
        <source>Strongest pairs: query → key</source>
        <translation>가장 강한 쌍: 쿼리 → 키</translation>
    </message>
    <message>
        <source>Switch off the state that is put in.</source>
        <translation>넣은 상태를 끄세요.</translation>
    </message>
    <message>
        <source>Tags: {0}</source>
        <translation>태그: {0}</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>과제</translation>
    </message>
    <message>
        <source>Texts that have both words of a pair are left out; words are exchanged as they are written, whether or not the new text is good grammar.</source>
        <translation>한 쌍의 두 단어가 모두 있는 글은 뺍니다. 단어는 적힌 대로 바꾸므로 새 글이 문법에 맞지 않을 수 있습니다.</translation>
    </message>
    <message>
        <source>The best head is the best of all on the words that its share is counted on, and so is the best offset: check it on another file. Special tokens are left out; a word counts as found where no other word has a larger weight, however small it is.</source>
        <translation>가장 나은 헤드와 거리는 비율을 센 바로 그 단어들에서 골랐으니 다른 파일에서 확인하세요. 특수 토큰은 빼며, 가중치가 아무리 작아도 다른 단어보다 작지만 않으면 찾은 것으로 셉니다.</translation>
    </message>
    <message>
        <source>The checkpoint knows none of the labels of this file.</source>
        <translation>체크포인트에 이 파일의 레이블이 하나도 없습니다.</translation>
    </message>
    <message>
        <source>The embeddings of this model are not as wide as its layers, so that what a head writes cannot be read as pieces.</source>
        <translation>이 모델은 임베딩의 폭이 레이어의 폭과 달라, 헤드가 쓴 것을 조각으로 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>The file has no row whose mention and antecedent have tokens of their own.</source>
        <translation>언급과 선행사가 저마다 토큰을 가진 행이 파일에 없습니다.</translation>
    </message>
    <message>
        <source>The file has {0} different labels.</source>
        <translation>파일에 서로 다른 레이블이 {0}가지 있습니다.</translation>
    </message>
    <message>
        <source>The folder {0} cannot be read: {1}.</source>
        <translation>폴더 {0}을(를) 읽을 수 없습니다: {1}.</translation>
    </message>
    <message>
        <source>The highest scores of this piece as a query, of {0} pieces as keys, without their positions. Click a piece to see its own.</source>
        <translation>이 조각이 쿼리일 때 조각 {0}개의 키 가운데 점수가 가장 높은 것입니다(위치는 빠져 있습니다). 조각을 클릭하면 그 조각의 것을 봅니다.</translation>
    </message>
    <message>
        <source>The image is {0}, not [h, w, 3].</source>
        <translation>이미지가 [h, w, 3]이 아니라 {0}입니다.</translation>
    </message>
    <message>
        <source>The labels of the file are taken as right, and its texts as a fair sample; the interval is of the sample alone.</source>
        <translation>파일의 레이블을 정답으로, 글을 고른 표본으로 봅니다. 구간은 이 표본만의 것입니다.</translation>
    </message>
    <message>
        <source>The labels {0} are no classes of this checkpoint: {1}.</source>
        <translation>레이블 {0}은(는) 이 체크포인트의 클래스가 아닙니다: {1}.</translation>
    </message>
    <message>
        <source>The last word of a mention stands for it, which is no parse. Where a row names candidates the largest weight among them counts, else that among all words: the shares of the two are not alike. The best head is chosen on the same rows.</source>
        <translation>언급은 그 마지막 단어로 대표하며, 구문 분석은 하지 않습니다. 후보가 있는 행은 후보 가운데, 없는 행은 모든 단어 가운데 가중치가 가장 큰 것을 세므로 두 비율은 서로 다릅니다. 가장 나은 헤드는 같은 행들에서 고릅니다.</translation>
    </message>
    <message>
        <source>The loss of this checkpoint is that of a label, and this file has none.</source>
        <translation>이 체크포인트의 손실은 레이블의 손실인데, 이 파일에는 레이블이 없습니다.</translation>
    </message>
    <message>
        <source>The numbers of the image go from {0} to {1}.</source>
        <translation>이미지의 값이 {0}부터 {1}까지입니다.</translation>
    </message>
    <message>
        <source>The order is computed once, on the same file; heads that matter only together may be pruned early. Nothing is trained again.</source>
        <translation>순서는 같은 파일에서 한 번만 계산합니다. 함께 있어야만 중요한 헤드들이 일찍 없어질 수 있습니다. 다시 학습하지 않습니다.</translation>
    </message>
    <message>
        <source>The patches of the image are not known.</source>
        <translation>이미지의 패치를 알 수 없습니다.</translation>
    </message>
    <message>
        <source>The path ends at</source>
        <translation>경로의 끝</translation>
    </message>
    <message>
        <source>The pieces whose logit rises most where the head looks at this one, by the embeddings of the output.</source>
        <translation>헤드가 이 조각을 볼 때, 출력 임베딩으로 보아 로짓이 가장 많이 오르는 조각입니다.</translation>
    </message>
    <message>
        <source>The probe was trained on the hidden states of another checkpoint.</source>
        <translation>이 프로브는 다른 체크포인트의 은닉 상태로 학습한 것입니다.</translation>
    </message>
    <message>
        <source>The program needs {0}, which is not installed.</source>
        <translation>이 프로그램에는 {0} 패키지가 필요한데, 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>The results cannot be written as “{0}”.</source>
        <translation>결과를 ‘{0}’(으)로 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>The sentences that are trained on have one label.</source>
        <translation>학습할 문장의 레이블이 하나뿐입니다.</translation>
    </message>
    <message>
        <source>The task head was trained on the last layer only. A state without a bar does not list the piece.</source>
        <translation>과제 헤드는 마지막 레이어로만 학습했습니다. 막대가 없는 상태의 목록에는 이 조각이 없습니다.</translation>
    </message>
    <message>
        <source>The token pairs that each head looks at over a file: the usual beside the strongest, with the pieces and distances that get most of its weight.</source>
        <translation>파일 전체에서 헤드마다 보는 토큰 쌍입니다. 흔한 것과 가장 강한 것을 나란히, 가중치를 가장 많이 받는 조각과 거리도 함께 보입니다.</translation>
    </message>
    <message>
        <source>The weights over the image whose patches are the tokens (Shift+I)</source>
        <translation>패치가 토큰인 이미지 위의 가중치 (Shift+I)</translation>
    </message>
    <message>
        <source>The window needs the system library {0}, which is not installed.</source>
        <translation>창을 열려면 시스템 라이브러리 {0}이(가) 필요한데, 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>There is no head {0}: layer {1} has the heads {2}.</source>
        <translation>헤드 {0}이(가) 없습니다. 레이어 {1}에는 헤드 {2}이(가) 있습니다.</translation>
    </message>
    <message>
        <source>This checkpoint says itself what {0} would answer.</source>
        <translation>{0}(으)로 답하려는 것은 체크포인트에 이미 적혀 있습니다.</translation>
    </message>
    <message>
        <source>This result has no picture “{0}”.</source>
        <translation>이 결과에는 “{0}” 그림이 없습니다.</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Title of the lesson</source>
        <translation>수업 제목</translation>
    </message>
    <message>
        <source>To the dependent</source>
        <translation>의존어로</translation>
    </message>
    <message>
        <source>To the head</source>
        <translation>지배소로</translation>
    </message>
    <message>
        <source>Together {0}, the score.</source>
        <translation>합 {0}, 곧 점수입니다.</translation>
    </message>
    <message>
        <source>Trained on {0} tokens; the divergence from the model is that on {1} others.</source>
        <translation>토큰 {0}개로 학습했습니다. 모델과의 차이는 다른 토큰 {1}개에서 쟀습니다.</translation>
    </message>
    <message>
        <source>Type numbers</source>
        <translation>수 입력하기</translation>
    </message>
    <message>
        <source>Unpack it and give the file within, or save it as text, such as CSV.</source>
        <translation>압축을 풀어 그 안의 파일을 주거나, CSV 같은 텍스트로 저장하세요.</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>rows of a batch</source>
        <translation>배치의 행</translation>
    </message>
    <message>
        <source>the text has a brace without its other half, or around no name: “{0}”</source>
        <translation>글에 짝이 없는 중괄호나 이름을 감싸지 않은 중괄호가 있습니다: “{0}”</translation>
    </message>
    <message>
        <source>torch&apos;s, one part of each process</source>
        <translation>프로세스마다 한 부분씩 담는 torch 형식</translation>
    </message>
    <message>
        <source>torch.export&apos;s, a program and not weights alone</source>
        <translation>가중치만이 아니라 프로그램인 torch.export 파일</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 또는 false</translation>
    </message>
    <message>
        <source>two options are the same</source>
        <translation>보기 두 개가 서로 같습니다</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>어휘</translation>
    </message>
    <message>
        <source>width</source>
        <translation>너비</translation>
    </message>
    <message>
        <source>word</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>words are split into pieces as in BERT</source>
        <translation>단어는 BERT처럼 조각으로 나눕니다</translation>
    </message>
    <message>
        <source>words are what stands between white space, since no piece begins with ##</source>
        <translation>##으로 시작하는 조각이 없으므로 공백 사이에 있는 것이 단어입니다</translation>
    </message>
    <message>
        <source>{0} Open one that was saved with such a head, as a {1}.</source>
        <translation>{0} {1}처럼 그런 헤드와 함께 저장된 모델을 여세요.</translation>
    </message>
    <message>
        <source>{0} There is no folder of that name either.</source>
        <translation>{0} 그런 이름의 폴더도 없습니다.</translation>
    </message>
    <message>
        <source>{0} and {1} in config.json contradict each other.</source>
        <translation>config.json의 {0}과(와) {1}이(가) 서로 맞지 않습니다.</translation>
    </message>
    <message>
        <source>{0} beside {1} holds other numbers, such as those of {2}. It was not read.</source>
        <translation>{1} 옆의 {0}에는 다른 수가 들어 있습니다(예: {2}). 읽지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be read as UTF-8 text.</source>
        <translation>{0} 파일을 UTF-8로 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be read as that.</source>
        <translation>{0} 파일은 그것으로 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be read from line {1} on: {2}.</source>
        <translation>{0}을(를) {1}번째 줄부터 읽을 수 없습니다: {2}.</translation>
    </message>
    <message>
        <source>{0} cannot be read.</source>
        <translation>{0} 파일을 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}</source>
        <translation>{0} 파일을 읽을 수 없습니다: {1}</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}.</source>
        <translation>{0} 파일을 읽을 수 없습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} cannot be written: the answers are kept with the settings instead.</source>
        <translation>{0}에 쓸 수 없어 답을 설정 폴더에 남겼습니다.</translation>
    </message>
    <message>
        <source>{0} cannot be “{1}” for this checkpoint.</source>
        <translation>이 체크포인트에서는 {0} 값이 “{1}”일 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} could not be made: {1}.</source>
        <translation>{0} 폴더를 만들 수 없습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} could not be read: {1}.</source>
        <translation>{0} 파일을 읽지 못했습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} could not be written to {1}: {2}.</source>
        <translation>{0} 파일을 {1}에 쓰지 못했습니다: {2}.</translation>
    </message>
    <message>
        <source>{0} could not be written: {1}.</source>
        <translation>{0} 파일을 쓰지 못했습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} does not fit config.json. {1}</source>
        <translation>{0} 파일이 config.json과 맞지 않습니다. {1}</translation>
    </message>
    <message>
        <source>{0} does not name its columns: column {1} has {2} different values and is taken for the labels.</source>
        <translation>{0}에는 열 이름이 없습니다. 서로 다른 값이 {2}개인 {1}열을 레이블로 읽습니다.</translation>
    </message>
    <message>
        <source>{0} does not say what family the model is of: it has no “model_type”.</source>
        <translation>{0}에 “model_type”이 없어 모델의 계열을 알 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} does not say which file holds which tensor.</source>
        <translation>{0}에 어느 파일에 어느 텐서가 있는지 적혀 있지 않습니다.</translation>
    </message>
    <message>
        <source>{0} does not show which column has the labels.</source>
        <translation>{0}에서 어느 열이 레이블인지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} does not show which column has the texts.</source>
        <translation>{0}에서 어느 열이 글인지 알 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} gives {1} the rank {2}, but the weights have {3}.</source>
        <translation>{0}에서 {1}의 랭크는 {2}인데, 가중치에서는 {3}입니다.</translation>
    </message>
    <message>
        <source>{0} gives “{1}” no id.</source>
        <translation>{0}에 “{1}”의 ID가 없습니다.</translation>
    </message>
    <message>
        <source>{0} has Google&apos;s {1} in place of {2}.</source>
        <translation>{0}에는 {2} 대신 Google의 {1}이(가) 있습니다.</translation>
    </message>
    <message>
        <source>{0} has a “{1}”; only lenses that the study “tuned-lens” wrote can be opened.</source>
        <translation>{0}에는 “{1}”이(가) 있습니다. “tuned-lens” 연구가 저장한 렌즈만 열 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} has an adapter already, beside that of {1}.</source>
        <translation>{0}에는 {1}의 어댑터 말고도 이미 어댑터가 있습니다.</translation>
    </message>
    <message>
        <source>{0} has an entry without a type and a path.</source>
        <translation>{0}에 type과 path가 없는 항목이 있습니다.</translation>
    </message>
    <message>
        <source>{0} has changed since this session was saved: weights, configuration or tokenizer differ.</source>
        <translation>이 세션을 저장한 뒤 {0} 체크포인트가 바뀌었습니다. 가중치, 설정 또는 토크나이저가 다릅니다.</translation>
    </message>
    <message>
        <source>{0} has no blank lines: all {1} words would be one sentence.</source>
        <translation>{0}에 빈 줄이 없어 단어 {1}개가 모두 한 문장이 됩니다.</translation>
    </message>
    <message>
        <source>{0} has no column “{1}”.</source>
        <translation>{0}에 ‘{1}’ 열이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no head for {1}.</source>
        <translation>{0}에는 이 과제 헤드({1})가 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no label for each word or character.</source>
        <translation>{0}에는 단어나 글자마다의 레이블이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no prompt “{1}”.</source>
        <translation>{0}에는 “{1}” 프롬프트가 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no row to learn from.</source>
        <translation>{0}에 학습할 행이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no row to learn from. {1}</source>
        <translation>{0}에 학습할 행이 없습니다. {1}</translation>
    </message>
    <message>
        <source>{0} has no sentence to learn from. {1}</source>
        <translation>{0}에 학습할 문장이 없습니다. {1}</translation>
    </message>
    <message>
        <source>{0} has no such revision on the hub.</source>
        <translation>허브의 {0}에 그런 리비전이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no text in it.</source>
        <translation>{0}에 글이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has no words in it.</source>
        <translation>{0}에 단어가 없습니다.</translation>
    </message>
    <message>
        <source>{0} has other rules ({1}) than {2} makes of {3}: the latter are used, as in transformers.</source>
        <translation>{0}의 규칙({1})이 다음에서 만들어지는 규칙과 다릅니다: {3}({2}). transformers에서처럼 뒤의 것을 씁니다.</translation>
    </message>
    <message>
        <source>{0} has several columns “{1}”.</source>
        <translation>{0}에 ‘{1}’ 열이 여럿입니다.</translation>
    </message>
    <message>
        <source>{0} has several files of weights: {1}.</source>
        <translation>{0}에 가중치 파일이 여러 개 있습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} has tensors without names.</source>
        <translation>{0}에 이름 없는 텐서가 있습니다.</translation>
    </message>
    <message>
        <source>{0} has the pattern “{1}”, which is not known.</source>
        <translation>{0}에 읽을 수 없는 패턴이 있습니다: “{1}”.</translation>
    </message>
    <message>
        <source>{0} has too few pieces for this model.</source>
        <translation>{0}의 조각 수가 이 모델에 비해 너무 적습니다.</translation>
    </message>
    <message>
        <source>{0} has too little memory left: the {1} did it instead.</source>
        <translation>{0}의 메모리가 모자라 {1}에서 계산했습니다.</translation>
    </message>
    <message>
        <source>{0} has {1} MB and would unfold to {2} MB: it was not opened.</source>
        <translation>{0} 파일은 {1} MB인데 풀면 {2} MB가 됩니다. 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} has {1} at character {2}.</source>
        <translation>{0}의 {2}번째 글자는 {1}입니다.</translation>
    </message>
    <message>
        <source>{0} has {1} characters; at most {2} can be read.</source>
        <translation>{0}의 글자가 {1}자입니다. {2}자까지 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} has {1} columns, and no first line with names that are known.</source>
        <translation>{0}에는 열이 {1}개 있고, 첫 줄에 아는 열 이름이 없습니다.</translation>
    </message>
    <message>
        <source>{0} has {1} positions, and begins after them.</source>
        <translation>{0}에 위치가 {1}개 있는데, 그 뒤에서 시작합니다.</translation>
    </message>
    <message>
        <source>{0} has {1} values for {2} tokens.</source>
        <translation>{0}의 값은 {1}개인데 토큰은 {2}개입니다.</translation>
    </message>
    <message>
        <source>{0} has {1}, but there are 0 to {2}.</source>
        <translation>{0}에 {1}이(가) 있는데, 0부터 {2}까지만 있습니다.</translation>
    </message>
    <message>
        <source>{0} heads cannot share the {1} numbers that the weights give them.</source>
        <translation>헤드 {0}개가 가중치에 있는 수 {1}개를 고르게 나눌 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds a tensor of shape {1}.</source>
        <translation>{0}에 든 텐서의 모양은 {1}입니다.</translation>
    </message>
    <message>
        <source>{0} holds a whole model (class {1}), which would run code when opened, and was not opened.</source>
        <translation>{0}에는 모델 전체(클래스 {1})가 들어 있어 열면 코드가 실행되므로 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} holds an object of {1} under “{2}”, which would run code when opened, and was not opened.</source>
        <translation>{0}의 “{2}”에는 {1} 객체가 들어 있어 열면 코드가 실행되므로 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} holds an object of {1}, which would run code when opened, and was not opened.</source>
        <translation>{0}에는 {1} 객체가 들어 있어 열면 코드가 실행되므로 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} holds more than the encoder computes. {1}</source>
        <translation>{0}에는 인코더가 계산하는 것보다 많은 것이 들어 있습니다. {1}</translation>
    </message>
    <message>
        <source>{0} holds no JSON list.</source>
        <translation>{0}에 JSON 목록이 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no JSON object.</source>
        <translation>{0}에 JSON 객체가 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no adapter.</source>
        <translation>{0}에 어댑터가 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no table of tensors.</source>
        <translation>{0}에 텐서 표가 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no tensor of an output.</source>
        <translation>{0}에 출력 텐서가 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no text.</source>
        <translation>{0}에 글이 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no training that was begun in the window.</source>
        <translation>{0}에는 이 창에서 시작한 학습이 없습니다.</translation>
    </message>
    <message>
        <source>{0} holds no weights: a training keeps it beside them, to go on later.</source>
        <translation>{0}에는 가중치가 없습니다. 학습을 나중에 이어 가려고 가중치 옆에 두는 파일입니다.</translation>
    </message>
    <message>
        <source>{0} holds the arrays of another session.</source>
        <translation>{0}에는 다른 세션의 배열이 들어 있습니다.</translation>
    </message>
    <message>
        <source>{0} ids with {1} segments cannot be read.</source>
        <translation>ID {0}개와 세그먼트 {1}개는 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} in a module of {1} has shape {2}, not {3}.</source>
        <translation>{1}의 모듈에서 {0}의 모양은 {2}입니다. {3} 모양이어야 합니다.</translation>
    </message>
    <message>
        <source>{0} in a module of {1} is not finite.</source>
        <translation>{1}의 모듈에 있는 {0}에 유한하지 않은 수가 있습니다.</translation>
    </message>
    <message>
        <source>{0} in config.json is {1}, but the weights make it {2}.</source>
        <translation>config.json의 {0} 값은 {1}인데 가중치로는 {2}입니다.</translation>
    </message>
    <message>
        <source>{0} in config.json is {1}, by which the widths cannot be divided.</source>
        <translation>config.json의 {0}이(가) {1}인데, 너비가 이 수로 나누어떨어지지 않습니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a list of names.</source>
        <translation>config.json의 {0} 값은 이름의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a name, not {1}.</source>
        <translation>config.json의 {0} 값은 이름이어야 합니다. 지금 값: {1}.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a name.</source>
        <translation>config.json의 {0} 값은 이름이어야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a small number above 0, not {1}.</source>
        <translation>config.json의 {0} 값은 0보다 큰 작은 수여야 합니다. 지금 값: {1}.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a whole number from {1} to {2}.</source>
        <translation>config.json의 {0} 값은 {1}에서 {2} 사이의 정수여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be a whole number, not {1}.</source>
        <translation>config.json의 {0} 값은 정수여야 합니다. 지금 값: {1}.</translation>
    </message>
    <message>
        <source>{0} in config.json must be an object.</source>
        <translation>config.json의 {0}은(는) 객체여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be an odd number.</source>
        <translation>config.json의 {0}은(는) 홀수여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in config.json must be from 1 to {1}, not {2}.</source>
        <translation>config.json의 {0} 값은 1부터 {1}까지의 수여야 합니다. 지금 값: {2}.</translation>
    </message>
    <message>
        <source>{0} in config.json must be the id of a piece, not {1}.</source>
        <translation>config.json의 {0} 값은 조각의 ID여야 합니다. 지금 값: {1}.</translation>
    </message>
    <message>
        <source>{0} in config.json must be true or false.</source>
        <translation>config.json의 {0} 값은 true나 false여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be a name.</source>
        <translation>{1}의 {0} 값은 이름이어야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be a number.</source>
        <translation>{1}의 {0} 값은 수여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be a whole number from 1 to {2}.</source>
        <translation>{1}의 {0} 값은 1에서 {2}까지의 정수여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be a whole number from 1.</source>
        <translation>{1}의 {0} 값은 1 이상의 정수여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be an object.</source>
        <translation>{1}의 {0} 값은 객체여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be true or false.</source>
        <translation>{1}의 {0} 값은 true나 false여야 합니다.</translation>
    </message>
    <message>
        <source>{0} in {1} must be {2}.</source>
        <translation>{1}의 {0} 값이 잘못되었습니다. 들어갈 값: {2}.</translation>
    </message>
    <message>
        <source>{0} invisible characters were dropped, as this model&apos;s tokenizer does: {1}.</source>
        <translation>이 모델의 토크나이저가 하는 대로 보이지 않는 문자 {0}개를 뺐습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} is CoNLL-U: it has several columns of labels.</source>
        <translation>{0}은(는) CoNLL-U 파일이며 레이블 열이 여럿입니다.</translation>
    </message>
    <message>
        <source>{0} is ColBERT&apos;s projection of every token&apos;s vector, by which texts are compared token by token: it is not computed.</source>
        <translation>{0}은(는) 텍스트를 토큰끼리 비교하려고 모든 토큰의 벡터를 투영하는 ColBERT의 가중치로, 계산하지 않습니다.</translation>
    </message>
    <message>
        <source>{0} is a SentencePiece model, and the package that reads such is not installed.</source>
        <translation>{0} 파일은 SentencePiece 모델인데, 이를 읽는 패키지가 설치되어 있지 않습니다.</translation>
    </message>
    <message>
        <source>{0} is a file, but none of weights that can be read.</source>
        <translation>{0}: 파일이지만 읽을 수 있는 가중치 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is a file, not a folder.</source>
        <translation>{0}: 폴더가 아니라 파일입니다.</translation>
    </message>
    <message>
        <source>{0} is a list of numbers, not {1}.</source>
        <translation>{0} 값은 수의 목록이어야 합니다. 주어진 것: {1}.</translation>
    </message>
    <message>
        <source>{0} is a list, but not of pieces that are all different.</source>
        <translation>{0}은(는) 목록이지만, 서로 다른 조각의 목록이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is a list: pieces are numbered in its order, and {1}.</source>
        <translation>{0}은(는) 목록입니다. 조각의 번호는 그 순서이고, {1}.</translation>
    </message>
    <message>
        <source>{0} is a mask that is saved with the weights: it hides tokens from others at every pass, and here every token attends to all.</source>
        <translation>{0}은(는) 가중치와 함께 저장된 마스크입니다. 계산할 때마다 토큰을 서로에게서 가리지만, 여기서는 모든 토큰이 서로에게 주의를 줍니다.</translation>
    </message>
    <message>
        <source>{0} is a packed archive, which can unfold to any size, and was not opened.</source>
        <translation>{0} 파일은 압축된 아카이브여서 풀면 얼마든지 커질 수 있으므로 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} is a plain pickle, which can run code when opened, and was not opened.</source>
        <translation>{0} 파일은 열 때 코드를 실행할 수 있는 일반 pickle이어서 열지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} is a pointer of git-lfs: the file itself was not fetched.</source>
        <translation>{0} 파일은 git-lfs 포인터입니다. 실제 파일을 받지 않았습니다.</translation>
    </message>
    <message>
        <source>{0} is added to {1} matrices, with the scale {2}.</source>
        <translation>{0}: 행렬 {1}개에 배율 {2}배로 더했습니다.</translation>
    </message>
    <message>
        <source>{0} is another checkpoint than the saved {1}: weights, configuration or tokenizer differ.</source>
        <translation>{0} 체크포인트는 저장된 {1} 체크포인트와 다릅니다. 가중치, 설정 또는 토크나이저가 다릅니다.</translation>
    </message>
    <message>
        <source>{0} is damaged or no file of torch&apos;s: {1}</source>
        <translation>{0} 파일이 손상되었거나 torch 파일이 아닙니다: {1}</translation>
    </message>
    <message>
        <source>{0} is damaged or no safetensors file: {1}</source>
        <translation>{0} 파일이 손상되었거나 safetensors 파일이 아닙니다: {1}</translation>
    </message>
    <message>
        <source>{0} is damaged: it claims a header of {1} bytes, and has {2}.</source>
        <translation>{0} 파일이 손상되었습니다. 헤더가 {1}바이트라고 적혀 있지만 파일은 {2}바이트입니다.</translation>
    </message>
    <message>
        <source>{0} is damaged: its end, which says what it holds, is missing.</source>
        <translation>{0} 파일이 손상되었습니다. 무엇이 들었는지 적힌 끝부분이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is empty.</source>
        <translation>{0}에 내용이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is far too large for what it should be.</source>
        <translation>{0} 파일이 있어야 할 크기보다 훨씬 큽니다.</translation>
    </message>
    <message>
        <source>{0} is gated: the hub gives it only to accounts with access.</source>
        <translation>{0} 모델은 허브에서 신청한 사람만 받을 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} is larger than a lesson can be.</source>
        <translation>{0} 파일은 수업 파일로는 너무 큽니다.</translation>
    </message>
    <message>
        <source>{0} is longer than the {1} characters that can be read.</source>
        <translation>{0} 파일이 읽을 수 있는 {1}자보다 깁니다.</translation>
    </message>
    <message>
        <source>{0} is named, but these are KoBERT&apos;s files: texts are split by {1}, between [CLS] and [SEP].</source>
        <translation>{0}(이)라고 적혀 있지만 KoBERT의 파일입니다. 텍스트는 {1}(으)로 나뉘어 [CLS]와 [SEP] 사이에 놓입니다.</translation>
    </message>
    <message>
        <source>{0} is nested too deeply.</source>
        <translation>{0} 파일이 너무 깊이 중첩되어 있습니다.</translation>
    </message>
    <message>
        <source>{0} is no BERT vocabulary: it has no {1}.</source>
        <translation>{0} 파일은 BERT 어휘 파일이 아닙니다. {1} 조각이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is no CoNLL-U file: no line has ten columns with tabs between.</source>
        <translation>{0}은(는) CoNLL-U 파일이 아닙니다. 탭으로 나뉜 열 열 개가 있는 줄이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is no SentencePiece model, or damaged.</source>
        <translation>{0} 파일은 SentencePiece 모델이 아니거나 손상되었습니다.</translation>
    </message>
    <message>
        <source>{0} is no image that can be read.</source>
        <translation>{0} 파일은 읽을 수 있는 이미지가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is no session that can be opened.</source>
        <translation>{0} 파일은 열 수 있는 세션이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is no table of a corpus.</source>
        <translation>{0} 파일은 말뭉치를 측정한 표가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is no table, but a web page or a pointer of Git LFS: {1}</source>
        <translation>{0}은(는) 표가 아니라 웹 페이지이거나 Git LFS 포인터입니다: {1}</translation>
    </message>
    <message>
        <source>{0} is no tensor that torch.save wrote, or would run code.</source>
        <translation>{0}은(는) torch.save가 쓴 텐서가 아니거나, 열면 코드를 실행합니다.</translation>
    </message>
    <message>
        <source>{0} is no text in UTF-8.</source>
        <translation>{0} 파일은 UTF-8로 된 글이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is no vocabulary for this model: it has no {1}.</source>
        <translation>{0} 파일은 이 모델의 어휘가 아닙니다. {1} 조각이 없습니다.</translation>
    </message>
    <message>
        <source>{0} is not UTF-8 and is read as {1}; {2} changes that.</source>
        <translation>{0}은(는) UTF-8이 아니므로 {1}(으)로 읽습니다. {2}(으)로 바꿀 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} is not UTF-8 text.</source>
        <translation>{0} 파일은 UTF-8로 된 글이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is not UTF-8 text: byte {1} fits no character.</source>
        <translation>{0} 파일은 UTF-8로 된 글이 아닙니다. 어떤 문자에도 맞지 않는 바이트: {1}.</translation>
    </message>
    <message>
        <source>{0} is not a list</source>
        <translation>{0} 자리에는 목록([ ])이 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not a number</source>
        <translation>{0} 자리에는 수가 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not a text</source>
        <translation>{0} 자리에는 글이 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not a tokenised corpus that can be read.</source>
        <translation>{0} 파일은 읽을 수 있는 토큰화된 말뭉치가 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is not a tokenizer that can be read: {1}</source>
        <translation>{0} 파일은 읽을 수 있는 토크나이저가 아닙니다: {1}</translation>
    </message>
    <message>
        <source>{0} is not a trace that can be opened.</source>
        <translation>{0} 파일은 열 수 있는 기록이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is not a whole number</source>
        <translation>{0} 자리에는 정수가 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not an object</source>
        <translation>{0} 자리에는 중괄호로 묶은 객체가 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not built like BERT, with learned positions and segments.</source>
        <translation>{0} 모델은 학습된 위치와 세그먼트를 가진 BERT와 구조가 다릅니다.</translation>
    </message>
    <message>
        <source>{0} is not in the encoding {1}.</source>
        <translation>{0}의 인코딩은 {1}이(가) 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is not one of {1}</source>
        <translation>{0} 값은 다음 중 하나여야 합니다: {1}</translation>
    </message>
    <message>
        <source>{0} is not the checkpoint that this session was saved with: {1}.</source>
        <translation>{0} 체크포인트는 이 세션을 저장할 때 쓴 것이 아닙니다. {1}.</translation>
    </message>
    <message>
        <source>{0} is not the file that was published: its SHA-256 is another.</source>
        <translation>{0} 파일은 배포된 파일이 아닙니다. SHA-256이 다릅니다.</translation>
    </message>
    <message>
        <source>{0} is not the matrix of a linear map of tokens.</source>
        <translation>토큰에 곱하는 선형 변환의 행렬이 아닙니다: {0}.</translation>
    </message>
    <message>
        <source>{0} is not true or false</source>
        <translation>{0} 자리에는 true나 false가 있어야 합니다</translation>
    </message>
    <message>
        <source>{0} is not valid JSON.</source>
        <translation>{0} 파일은 올바른 JSON이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is of the kind {1}, which {2} does not read: it is taken as it is.</source>
        <translation>{0}: {2}에서 읽지 않는 종류({1})이므로 있는 그대로 씁니다.</translation>
    </message>
    <message>
        <source>{0} is one number, not {1}.</source>
        <translation>{0} 값은 수 하나여야 합니다. 주어진 것: {1}.</translation>
    </message>
    <message>
        <source>{0} is read as transformers converts it, which splits some rare texts otherwise than SentencePiece.</source>
        <translation>{0} 파일은 transformers가 변환하는 대로 읽으므로, 드문 글에서는 SentencePiece와 다르게 나뉠 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}, {2}: a label for each character, {3} sentences.</source>
        <translation>{0}: {1}, {2}. 글자마다 레이블이 있고 문장은 {3}개입니다.</translation>
    </message>
    <message>
        <source>{0} is read as {1}, {2}: a label for each word, in column {3} of {4}, {5} sentences.</source>
        <translation>{0}: {1}, {2}. 단어마다 레이블이 있고(전체 {4}열 가운데 {3} 열) 문장은 {5}개입니다.</translation>
    </message>
    <message>
        <source>{0} is the layer that was copied to make {1}: it is saved with the model, never computed, and left out.</source>
        <translation>{0}은(는) {1}을(를) 만들 때 복사한 층입니다. 모델과 함께 저장되지만 계산에 쓰이지 않으므로 뺍니다.</translation>
    </message>
    <message>
        <source>{0} is {1}.</source>
        <translation>{0}은(는) {1}입니다.</translation>
    </message>
    <message>
        <source>{0} lacks {1} of the {2} pieces of {3}, such as “{4}”: they are read as unknown. It may be another model&apos;s.</source>
        <translation>{0}에는 {3}의 조각 {2}개 가운데 {1}개(예: “{4}”)가 없어 알 수 없는 조각으로 읽습니다. 다른 모델의 파일일 수 있습니다.</translation>
    </message>
    <message>
        <source>{0} lacks {1}, which {2} says it holds.</source>
        <translation>{2}에 따르면 {0}에 {1} 항목이 있어야 하는데 없습니다.</translation>
    </message>
    <message>
        <source>A tokenizer cannot be made from {0}.</source>
        <translation>다음 파일로는 토크나이저를 만들 수 없습니다: {0}.</translation>
    </message>
    <message>
        <source>{0} names cannot be those of {1} classes.</source>
        <translation>이름 {0}개가 클래스 {1}개의 이름일 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} names more than {1} files.</source>
        <translation>{0}에 적힌 파일이 {1}개를 넘습니다.</translation>
    </message>
    <message>
        <source>{0} names “{1}”, which is no {2} file beside it.</source>
        <translation>{0}에 적힌 “{1}”: 같은 폴더의 {2} 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} numbers for {1}</source>
        <translation>{1}에 수가 {0}개</translation>
    </message>
    <message>
        <source>{0} numbers several pieces alike.</source>
        <translation>{0}에서 여러 조각의 번호가 같습니다.</translation>
    </message>
    <message>
        <source>{0} of sentence-transformers is not supported.</source>
        <translation>sentence-transformers의 {0} 모듈은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>{0} of {1} words are unknown to this model, which reads {2} instead.</source>
        <translation>단어 {1}개 중 {0}개가 이 모델의 어휘에 없어 {2} 토큰으로 읽습니다.</translation>
    </message>
    <message>
        <source>{0} on the hub lacks {1}, a part of its weights.</source>
        <translation>허브의 {0}에는 가중치의 한 부분이 없습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} reads one text at a time: it knows a single segment.</source>
        <translation>{0} 체크포인트는 세그먼트가 하나뿐이어서 한 번에 글 하나만 읽습니다.</translation>
    </message>
    <message>
        <source>{0} selects tokens, which {1} does not.</source>
        <translation>{0} 옵션은 토큰을 고르는데, {1} 분석은 토큰을 고르지 않습니다.</translation>
    </message>
    <message>
        <source>{0} tokens were left out: this model reads at most {1}.</source>
        <translation>토큰 {0}개를 뺐습니다. 이 모델은 {1}개까지 읽습니다.</translation>
    </message>
    <message>
        <source>{0} was saved by a newer BertViz App ({1}).</source>
        <translation>{0} 파일은 더 새로운 BertViz App({1})에서 저장했습니다.</translation>
    </message>
    <message>
        <source>The number of worker processes is {0}.</source>
        <translation>작업 프로세스의 수가 {0}입니다.</translation>
    </message>
    <message>
        <source>{0} has no {1}, and no layers of an encoder are recognised among the names of its weights: {2}.</source>
        <translation>{0}에 {1}이(가) 없고, 가중치의 이름에서 인코더의 레이어를 알아볼 수 없습니다: {2}.</translation>
    </message>
    <message>
        <source>{0} has no “model_type”, and no layers of an encoder are recognised among such names: {1}.</source>
        <translation>{0}에 ‘model_type’이 없고, 이런 이름에서는 인코더의 레이어를 알아볼 수 없습니다: {1}.</translation>
    </message>
    <message>
        <source>{0} is no vocabulary of bytes: it lacks {1} of the 256, such as “{2}”.</source>
        <translation>{0}은(는) 바이트 어휘가 아닙니다. 256개 가운데 “{2}” 등 {1}개가 없습니다.</translation>
    </message>
    <message>
        <source>{0} is packed by {1}.</source>
        <translation>{0}은(는) {1}(으)로 압축되어 있습니다.</translation>
    </message>
    <message>
        <source>{0} queries cannot share {1} keys evenly: {2} in config.json is wrong.</source>
        <translation>쿼리 {0}개가 키 {1}개를 고르게 나누어 쓸 수 없습니다. config.json의 {2}이(가) 잘못되었습니다.</translation>
    </message>
    <message>
        <source>{0} reads most of {1}</source>
        <translation>{0}이(가) 가장 많이 읽는 헤드: {1}</translation>
    </message>
    <message>
        <source>{0} stands for the number of a layer. Parts that were kept are in {1} beside the weights: correct or remove them there.</source>
        <translation>{0}는 레이어의 번호입니다. 저장해 둔 부분은 가중치 옆의 {1}에 있으니, 거기에서 고치거나 지우세요.</translation>
    </message>
    <message>
        <source>{0}, bfloat16</source>
        <translation>{0}, bfloat16으로 계산</translation>
    </message>
    <message>
        <source>{0}, line {1}: this is not JSON ({2}).</source>
        <translation>{0}, {1}행: JSON이 아닙니다({2}).</translation>
    </message>
    <message>
        <source>{0}, line {1}: {2}</source>
        <translation>{0}, {1}행: {2}</translation>
    </message>
    <message>
        <source>{0}: characters whose labels no token learns: {1}.</source>
        <translation>{0}: 레이블을 배울 토큰이 없는 글자: {1}개.</translation>
    </message>
    <message>
        <source>{0}: column {1} has {2} different labels: is it the column of the labels?</source>
        <translation>{0}: {1} 열에 서로 다른 레이블이 {2}개 있습니다. 레이블 열이 맞나요?</translation>
    </message>
    <message>
        <source>{0}: every sentence has a label that is not among those learnt: {1}.</source>
        <translation>{0}: 모든 문장에 학습하지 않은 레이블이 있습니다: {1}.</translation>
    </message>
    <message>
        <source>{0}: labels that one row only has, so that none of them can be held out: {1} ({2}{3}).</source>
        <translation>{0}: 행이 하나뿐이라 검증용으로 남겨 둘 수 없는 레이블: {1}개({2}{3}).</translation>
    </message>
    <message>
        <source>{0}: spans that begin with I, not with B: {1}.</source>
        <translation>{0}: B가 아니라 I로 시작하는 구간: {1}개.</translation>
    </message>
    <message>
        <source>{0}: texts of more than {1} tokens, whose ends are not read: {2}.</source>
        <translation>{0}: {1}토큰보다 길어 끝부분을 읽지 않는 글: {2}개.</translation>
    </message>
    <message>
        <source>{0}: the labels of column {1} are numbers from {2} to {3}: they are predicted as numbers (regression).</source>
        <translation>{0}: {1} 열의 레이블은 {2}부터 {3}까지의 수이므로 수로 예측합니다(회귀).</translation>
    </message>
    <message>
        <source>{0}: words whose labels no token learns: {1}.</source>
        <translation>{0}: 레이블을 배울 토큰이 없는 단어: {1}개.</translation>
    </message>
    <message>
        <source>{0}: {1} of {2} rows cannot be used.</source>
        <translation>{0}: {2}개 행 중 {1}개를 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>{0}: {1} of {2} sentences cannot be used.</source>
        <translation>{0}: 문장 {2}개 가운데 {1}개를 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>“OV and QK matrices of every head” needs no pieces.</source>
        <translation>‘모든 헤드의 OV 행렬과 QK 행렬’에는 조각이 필요하지 않습니다.</translation>
    </message>
    <message>
        <source>“Open your own BERT” in the documents says what can be computed.</source>
        <translation>무엇을 계산할 수 있는지는 문서 ‘직접 만든 BERT 열기’에 있습니다.</translation>
    </message>
    <message>
        <source>“bertviz-app parameters” and model.parameters() list all of them.</source>
        <translation>“bertviz-app parameters”와 model.parameters()가 모두 보여 줍니다.</translation>
    </message>
    <message>
        <source>“position” takes a position ID, an integer from 0.</source>
        <translation>“position”에는 위치 ID(0 이상의 정수)를 주어야 합니다.</translation>
    </message>
    <message>
        <source>“progress” is a function of two numbers, the bytes read and those in all, not {0}.</source>
        <translation>“progress”는 읽은 바이트 수와 전체 바이트 수, 두 수를 받는 함수여야 합니다. 주어진 것: {0}.</translation>
    </message>
    <message>
        <source>“replace” takes a piece of the vocabulary.</source>
        <translation>“replace”에는 어휘의 조각을 주어야 합니다.</translation>
    </message>
    <message>
        <source>“segment” takes a segment ID, an integer from 0.</source>
        <translation>“segment”에는 세그먼트 ID(0 이상의 정수)를 주어야 합니다.</translation>
    </message>
    <message>
        <source>“{0}” also needs “{1}”</source>
        <translation>“{0}”에는 “{1}” 값도 있어야 합니다</translation>
    </message>
    <message>
        <source>“{0}” cannot have “{1}”</source>
        <translation>“{0}”에는 “{1}” 값이 있을 수 없습니다</translation>
    </message>
    <message>
        <source>“{0}” does not end in {1}.</source>
        <translation>“{0}”은(는) {1}(으)로 끝나지 않습니다.</translation>
    </message>
    <message>
        <source>“{0}” does not say which class a label is.</source>
        <translation>“{0}”은(는) 레이블이 어느 클래스인지 말해 주지 않습니다.</translation>
    </message>
    <message>
        <source>“{0}” has fewer than {1} items</source>
        <translation>“{0}” 항목이 {1}개보다 적습니다</translation>
    </message>
    <message>
        <source>“{0}” has no row {1}.</source>
        <translation>‘{0}’에는 행 {1}이(가) 없습니다.</translation>
    </message>
    <message>
        <source>“{0}” has the rows of all {1} heads. If none was pruned, take layer {2} out of “pruned_heads” in config.json.</source>
        <translation>“{0}”에는 헤드 {1}개의 행이 모두 있습니다. 가지치기한 헤드가 없다면 config.json의 “pruned_heads”에서 레이어 {2}을(를) 지우세요.</translation>
    </message>
    <message>
        <source>“{0}” has the rows of {1} of {2} heads. If the others were pruned, write in config.json which they are: {3} says that they are the last ones.</source>
        <translation>“{0}”에는 헤드 {2}개 가운데 {1}개의 행이 있습니다. 나머지를 가지치기했다면 어느 것인지 config.json에 적으세요. 마지막 헤드들이라면 {3}입니다.</translation>
    </message>
    <message>
        <source>“{0}” in {1} has no effect on this tokenizer, as in transformers.</source>
        <translation>{1}의 “{0}” 설정은 transformers에서처럼 이 토크나이저에 영향을 주지 않습니다.</translation>
    </message>
    <message>
        <source>“{0}” is given for two columns of {1}.</source>
        <translation>{1}의 두 열에 모두 ‘{0}’을(를) 주었습니다.</translation>
    </message>
    <message>
        <source>“{0}” is missing</source>
        <translation>“{0}” 값이 빠져 있습니다</translation>
    </message>
    <message>
        <source>“{0}” is no name of a model on the hub.</source>
        <translation>“{0}”: 허브의 모델 이름이 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is no name of a picture</source>
        <translation>“{0}”은(는) 그림 이름이 아닙니다</translation>
    </message>
    <message>
        <source>“{0}” is no pair of words to exchange.</source>
        <translation>“{0}”은(는) 서로 바꿀 단어 쌍이 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is no piece of this model&apos;s vocabulary.</source>
        <translation>“{0}”: 이 모델의 어휘에 없는 조각입니다.</translation>
    </message>
    <message>
        <source>“{0}” is not a number.</source>
        <translation>“{0}”: 수가 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is not a whole number.</source>
        <translation>“{0}”: 정수가 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is not a file of a kind that can be opened here.</source>
        <translation>“{0}”: 여기서 열 수 있는 종류의 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>“{0}” is {1}, not {2}.</source>
        <translation>“{0}”의 값은 {1} 종류여야 합니다. 주어진 것: {2}.</translation>
    </message>
    <message>
        <source>“{0}” is {1}: this model has {2} to {3}</source>
        <translation>“{0}”: {1}. 이 모델에는 {2}부터 {3}까지 있습니다</translation>
    </message>
    <message>
        <source>“{0}” is “{1}”, which is not one of {2}</source>
        <translation>“{0}” 값이 “{1}”인데, 다음 중 하나여야 합니다: {2}</translation>
    </message>
    <message>
        <source>“{0}” must be at least {1}</source>
        <translation>“{0}” 값은 {1} 이상이어야 합니다</translation>
    </message>
    <message>
        <source>“{0}” must be from {1} to {2}</source>
        <translation>“{0}” 값은 {1} 이상 {2} 이하여야 합니다</translation>
    </message>
    <message>
        <source>“{0}” must be greater than {1}</source>
        <translation>“{0}” 값은 {1}보다 커야 합니다</translation>
    </message>
    <message>
        <source>“{0}” must have as many items as “{1}”</source>
        <translation>“{0}” 항목과 “{1}” 항목의 수가 같아야 합니다</translation>
    </message>
    <message>
        <source>“{0}” takes no value.</source>
        <translation>“{0}”에는 값을 주지 않습니다.</translation>
    </message>
    <message>
        <source>{0} thread</source>
        <translation>스레드 {0}개</translation>
    </message>
    <message>
        <source>{0} threads</source>
        <translation>스레드 {0}개</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>파일 이름이 너무 깁니다</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>입출력 오류</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>폴더입니다</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>그런 파일이나 폴더가 없습니다</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>장치에 남은 공간이 없습니다</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>폴더가 아닙니다</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>권한이 없습니다</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>읽기 전용 파일 시스템입니다</translation>
    </message>
    <message>
        <source>Expecting value</source>
        <translation>값이 있어야 할 자리입니다</translation>
    </message>
    <message>
        <source>Expecting &apos;,&apos; delimiter</source>
        <translation>쉼표(,)가 있어야 할 자리입니다</translation>
    </message>
    <message>
        <source>Expecting &apos;:&apos; delimiter</source>
        <translation>쌍점(:)이 있어야 할 자리입니다</translation>
    </message>
    <message>
        <source>Expecting property name enclosed in double quotes</source>
        <translation>큰따옴표로 묶은 이름이 있어야 할 자리입니다</translation>
    </message>
    <message>
        <source>Illegal trailing comma before end of object</source>
        <translation>객체의 끝에 남는 쉼표가 있습니다</translation>
    </message>
    <message>
        <source>Illegal trailing comma before end of array</source>
        <translation>목록의 끝에 남는 쉼표가 있습니다</translation>
    </message>
    <message>
        <source>Unterminated string starting at</source>
        <translation>따옴표가 닫히지 않았습니다</translation>
    </message>
    <message>
        <source>Invalid control character at</source>
        <translation>글 안에 쓸 수 없는 제어 문자가 있습니다</translation>
    </message>
    <message>
        <source>Extra data</source>
        <translation>JSON이 끝난 뒤에 글이 더 있습니다</translation>
    </message>
</context>
<context>
    <name>ExamplesView</name>
    <message>
        <source>Examples of the head</source>
        <translation>헤드의 예문</translation>
    </message>
    <message>
        <source>The strongest of all sentences</source>
        <translation>모든 문장 가운데 가장 강한 것</translation>
    </message>
    <message>
        <source>The weakest tenth of the sentences</source>
        <translation>가장 약한 10분의 1</translation>
    </message>
    <message>
        <source>The strongest tenth</source>
        <translation>가장 강한 10분의 1</translation>
    </message>
    <message>
        <source>Tenth {0} of 10</source>
        <translation>10분위 가운데 {0}번째</translation>
    </message>
    <message>
        <source>Line {0}: show it with this head</source>
        <translation>{0}행: 이 헤드로 보기</translation>
    </message>
    <message>
        <source>line {0} (its file is not here)</source>
        <translation>{0}행(파일이 여기에 없음)</translation>
    </message>
</context>
<context>
    <name>ExploreRow</name>
    <message>
        <source>This pair</source>
        <translation>이 쌍</translation>
    </message>
    <message>
        <source>How the weight of the two words is computed</source>
        <translation>두 단어의 가중치가 계산되는 과정</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>모든 헤드</translation>
    </message>
    <message>
        <source>Every head of every layer as a small picture</source>
        <translation>모든 레이어의 모든 헤드를 작은 그림으로</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>The arithmetic from the text to the last vector</source>
        <translation>글에서 마지막 벡터까지의 계산</translation>
    </message>
    <message>
        <source>Compare with another sentence</source>
        <translation>다른 문장과 비교</translation>
    </message>
    <message>
        <source>Read another text, too, and show what its heads do beside this one</source>
        <translation>다른 글도 읽고, 헤드가 하는 일을 이 글과 나란히 보여 줍니다</translation>
    </message>
    <message>
        <source>Token IDs</source>
        <translation>토큰 ID</translation>
    </message>
    <message>
        <source>The number of each token in the vocabulary, its segment and its position</source>
        <translation>토큰마다 어휘 안의 번호와 세그먼트, 위치</translation>
    </message>
    <message>
        <source>A mask</source>
        <translation>마스크</translation>
    </message>
    <message>
        <source>Hide the clicked word, or the last one: what does the model expect there?</source>
        <translation>클릭한 단어나 마지막 단어를 가립니다: 모델은 그 자리에 무엇을 예상할까요?</translation>
    </message>
    <message>
        <source>Add:</source>
        <translation>더하기:</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>heads {0}</source>
        <translation>헤드 {0}</translation>
    </message>
    <message>
        <source>computed in {0}</source>
        <translation>계산 형식: {0}</translation>
    </message>
    <message>
        <source>muted: {0}</source>
        <translation>끈 헤드: {0}</translation>
    </message>
    <message>
        <source>token {0} replaced by {1}</source>
        <translation>토큰 {0} → {1}</translation>
    </message>
    <message>
        <source>Copied the picture of {0}.</source>
        <translation>{0}: 그림을 복사했습니다.</translation>
    </message>
    <message>
        <source>Save the numbers</source>
        <translation>수치 저장</translation>
    </message>
    <message>
        <source>A page is of one run: show run A or run B in the panel.</source>
        <translation>페이지에는 실행 하나만 담깁니다. 패널에 실행 A나 B를 표시하세요.</translation>
    </message>
    <message>
        <source>A page shows attention: show attention in the panel.</source>
        <translation>페이지는 어텐션을 보여 줍니다. 패널에 어텐션을 표시하세요.</translation>
    </message>
    <message>
        <source>Save as page</source>
        <translation>페이지로 저장</translation>
    </message>
    <message>
        <source>The page has layer {0} alone: a browser reads no more.</source>
        <translation>페이지에는 레이어 {0}만 있습니다. 브라우저가 그 이상은 읽지 못합니다.</translation>
    </message>
    <message>
        <source>There is nothing to save yet: type a sentence.</source>
        <translation>아직 저장할 것이 없습니다. 문장을 입력하세요.</translation>
    </message>
    <message>
        <source>Copied the Python of {0}.</source>
        <translation>{0}: Python 코드를 복사했습니다.</translation>
    </message>
    <message>
        <source>This is a picture to learn from: its numbers and its Python are in Explore.</source>
        <translation>배우기 위한 그림입니다. 수와 파이썬 코드는 살펴보기에 있습니다.</translation>
    </message>
    <message>
        <source>Only what the panels show can be saved this way: close this page first.</source>
        <translation>패널에 보이는 것만 이렇게 저장할 수 있습니다. 먼저 이 페이지를 닫으세요.</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>그림 저장</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Save as a picture</source>
        <translation>그림으로 저장</translation>
    </message>
    <message>
        <source>Pixels, for slides and pages</source>
        <translation>픽셀: 발표 자료와 웹 문서에</translation>
    </message>
    <message>
        <source>Lines and text, for browsers and drawing programs</source>
        <translation>선과 글자: 브라우저와 그리기 프로그램에</translation>
    </message>
    <message>
        <source>Lines and text, for papers and print</source>
        <translation>선과 글자: 논문과 인쇄에</translation>
    </message>
    <message>
        <source>Pixels of the picture for each on screen</source>
        <translation>화면의 픽셀 하나를 그림의 픽셀 몇 개로 그릴지</translation>
    </message>
    <message>
        <source>Width in print</source>
        <translation>인쇄 너비</translation>
    </message>
    <message>
        <source>as on the screen</source>
        <translation>화면과 같게</translation>
    </message>
    <message>
        <source>A length, as 7.7cm, 89mm, 5.5in or 240pt, or the name of a column</source>
        <translation>7.7cm, 89mm, 5.5in, 240pt 같은 길이 또는 단 이름</translation>
    </message>
    <message>
        <source>Column of a paper</source>
        <translation>논문의 단</translation>
    </message>
    <message>
        <source>Column …</source>
        <translation>단 …</translation>
    </message>
    <message>
        <source>In the colours that are on screen</source>
        <translation>화면에 보이는 색 그대로</translation>
    </message>
    <message>
        <source>Same as the window</source>
        <translation>창과 같게</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark on white, for print</source>
        <translation>흰 바탕에 어두운 글자: 인쇄에</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Light on dark, for slides</source>
        <translation>어두운 바탕에 밝은 글자: 발표에</translation>
    </message>
    <message>
        <source>Paper</source>
        <translation>종이</translation>
    </message>
    <message>
        <source>Black on white with thin lines, for print</source>
        <translation>흰 바탕에 검은 글씨와 가는 선, 인쇄용</translation>
    </message>
    <message>
        <source>Checkpoint and sentence above it</source>
        <translation>위에 체크포인트와 문장 쓰기</translation>
    </message>
    <message>
        <source>Which picture</source>
        <translation>어느 그림</translation>
    </message>
    <message>
        <source>The smallest letters have {0} points.</source>
        <translation>가장 작은 글자는 {0}포인트입니다.</translation>
    </message>
    <message>
        <source>Save …</source>
        <translation>저장 …</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy the picture to the clipboard, as pixels</source>
        <translation>그림을 픽셀로 클립보드에 복사합니다</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>크기</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>배경</translation>
    </message>
</context>
<context>
    <name>ExportMenus</name>
    <message>
        <source>Copy or save this picture and its numbers</source>
        <translation>이 그림과 수치를 복사하거나 저장합니다</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>그림 복사</translation>
    </message>
    <message>
        <source>Save the picture …</source>
        <translation>그림 저장 …</translation>
    </message>
    <message>
        <source>Save the numbers …</source>
        <translation>수치 저장 …</translation>
    </message>
    <message>
        <source>Copy as Python</source>
        <translation>Python으로 복사</translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message>
        <source>Image File (PNG, TIF, JPG, ...)</source>
        <translation>그림 파일(PNG, TIF, JPG 등)</translation>
    </message>
    <message>
        <source>width</source>
        <translation>너비</translation>
    </message>
    <message>
        <source>height</source>
        <translation>높이</translation>
    </message>
    <message>
        <source>antialias</source>
        <translation>가장자리 부드럽게</translation>
    </message>
    <message>
        <source>background</source>
        <translation>배경</translation>
    </message>
    <message>
        <source>invertValue</source>
        <translation>명암 반전</translation>
    </message>
    <message>
        <source>CSV of original plot data</source>
        <translation>그래프의 원래 수치(CSV)</translation>
    </message>
    <message>
        <source>separator</source>
        <translation>구분 기호</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>자릿수</translation>
    </message>
    <message>
        <source>columnMode</source>
        <translation>열 배치</translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>An unexpected error occurred. Your text is not lost.</source>
        <translation>예상하지 못한 오류가 났습니다. 입력한 문장은 그대로 있습니다.</translation>
    </message>
    <message>
        <source>{0}

The details are in {1}.</source>
        <translation>{0}

자세한 내용은 {1} 파일에 있습니다.</translation>
    </message>
    <message>
        <source>Report …</source>
        <translation>보고서 …</translation>
    </message>
</context>
<context>
    <name>FileDialogs</name>
    <message>
        <source>Compare with attention weights of a file</source>
        <translation>파일의 어텐션 가중치와 비교</translation>
    </message>
    <message>
        <source>Attention weights</source>
        <translation>어텐션 가중치</translation>
    </message>
    <message>
        <source>Open a checkpoint folder</source>
        <translation>체크포인트 폴더 열기</translation>
    </message>
    <message>
        <source>Weights, with config.json and the vocabulary beside them</source>
        <translation>가중치(config.json과 어휘가 옆에 있어야 합니다)</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>모든 파일</translation>
    </message>
    <message>
        <source>Open a file of weights</source>
        <translation>가중치 파일 열기</translation>
    </message>
    <message>
        <source>Name of the checkpoint, such as sentence-transformers/all-MiniLM-L6-v2,
with @ and a branch, tag or commit if it is not the newest; or the address of its page:</source>
        <translation>체크포인트 이름(예: sentence-transformers/all-MiniLM-L6-v2)이나 그 페이지의 주소.
최신이 아니면 @ 뒤에 브랜치, 태그, 커밋을 붙이세요:</translation>
    </message>
    <message>
        <source>Open a checkpoint from the hub</source>
        <translation>허브에서 체크포인트 열기</translation>
    </message>
    <message>
        <source>Sessions, traces and texts</source>
        <translation>세션, 기록, 문장</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>세션</translation>
    </message>
    <message>
        <source>Save the session</source>
        <translation>세션 저장</translation>
    </message>
</context>
<context>
    <name>FileQuestion</name>
    <message>
        <source>Measure whole lines</source>
        <translation>줄 전체 재기</translation>
    </message>
    <message>
        <source>Each line is a text as it stands, with separators and all columns</source>
        <translation>구분자와 모든 열을 포함한 줄 하나를 그대로 글 하나로 봅니다</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>FilterRow</name>
    <message>
        <source>Show only heads with a measure between two ends</source>
        <translation>지표가 두 값 사이에 있는 헤드만 보기</translation>
    </message>
    <message>
        <source>At least</source>
        <translation>최솟값</translation>
    </message>
    <message>
        <source>from</source>
        <translation>최소</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>최댓값</translation>
    </message>
    <message>
        <source>to</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Show all heads again</source>
        <translation>모든 헤드 다시 보기</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>모든 헤드</translation>
    </message>
    <message>
        <source>Only: {0}</source>
        <translation>{0}만</translation>
    </message>
    <message>
        <source>Filter: {0}</source>
        <translation>거르기: {0}</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{1}개 중 {0}개</translation>
    </message>
</context>
<context>
    <name>FirstThread</name>
    <message>
        <source>The answer is read from the pooled vector</source>
        <translation>답은 풀링 벡터에서 읽습니다</translation>
    </message>
    <message>
        <source>the pooled {0}</source>
        <translation>{0}의 풀링 벡터</translation>
    </message>
</context>
<context>
    <name>FlowMap</name>
    <message>
        <source>The whole model, from the text to its outputs</source>
        <translation>글에서 출력까지, 모델 전체</translation>
    </message>
    <message>
        <source>Attention weights alone: what the model is like is not known.</source>
        <translation>어텐션 가중치뿐이어서 모델의 구조는 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Numbers that come out: {0}</source>
        <translation>나오는 수: {0}</translation>
    </message>
    <message>
        <source>Right click: {0}</source>
        <translation>오른쪽 클릭: {0}</translation>
    </message>
    <message>
        <source>Open {0}</source>
        <translation>{0} 열기</translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>Auto</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>직접 지정</translation>
    </message>
    <message>
        <source>Invert Axis</source>
        <translation>축 뒤집기</translation>
    </message>
    <message>
        <source>Mouse Enabled</source>
        <translation>마우스로 움직이기</translation>
    </message>
    <message>
        <source>Visible Data Only</source>
        <translation>보이는 데이터만</translation>
    </message>
    <message>
        <source>Auto Pan Only</source>
        <translation>이동만 자동</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Percent of data to be visible when auto-scaling. It may be useful to decrease this value for data with spiky noise.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;자동으로 맞출 때 보일 데이터의 비율입니다. 튀는 값이 있는 데이터에서는 줄이면 좋습니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Automatically resize this axis whenever the displayed data is changed.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;표시하는 데이터가 바뀔 때마다 축의 범위를 자동으로 맞춥니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Set the range for this axis manually. This disables automatic scaling. &lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;축의 범위를 직접 정합니다. 자동 맞춤은 꺼집니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Minimum value to display for this axis.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;이 축에 표시할 최솟값입니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Maximum value to display for this axis.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;이 축에 표시할 최댓값입니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Inverts the display of this axis. (+y points downward instead of upward)&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;축의 방향을 뒤집습니다. (+y가 위가 아니라 아래를 향합니다)&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;Enables mouse interaction (panning, scaling) for this axis.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;이 축을 마우스로 이동하고 확대·축소할 수 있게 합니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;When checked, the axis will only auto-scale to data that is visible along the orthogonal axis.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;켜면 다른 축에서 보이는 데이터에만 맞추어 범위를 자동으로 정합니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;When checked, the axis will automatically pan to center on the current data, but the scale along this axis will not change.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</source>
        <translation>&lt;html&gt;&lt;head/&gt;&lt;body&gt;&lt;p&gt;켜면 현재 데이터가 가운데 오도록 자동으로 이동하지만 배율은 바뀌지 않습니다.&lt;/p&gt;&lt;/body&gt;&lt;/html&gt;</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Item to export:</source>
        <translation>내보낼 대상:</translation>
    </message>
    <message>
        <source>Export format</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Export options</source>
        <translation>옵션</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
</context>
<context>
    <name>FormDialogs</name>
    <message>
        <source>Texts</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Training text</source>
        <translation>학습할 글</translation>
    </message>
    <message>
        <source>Training data</source>
        <translation>학습 데이터</translation>
    </message>
    <message>
        <source>Evaluation data</source>
        <translation>평가 데이터</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>행</translation>
    </message>
    <message>
        <source>Folder of the model</source>
        <translation>모델 폴더</translation>
    </message>
</context>
<context>
    <name>Gallery</name>
    <message>
        <source>Compare with another sentence</source>
        <translation>다른 문장과 비교</translation>
    </message>
    <message>
        <source>Open a checkpoint with a masked-token head</source>
        <translation>마스크 토큰을 예측하는 체크포인트 열기</translation>
    </message>
    <message>
        <source>Choose another checkpoint</source>
        <translation>다른 체크포인트 고르기</translation>
    </message>
</context>
<context>
    <name>GlossaryDialog</name>
    <message>
        <source>Glossary</source>
        <translation>용어 사전</translation>
    </message>
    <message>
        <source>Find a term, in English or Korean …</source>
        <translation>용어 찾기(한국어나 영어) …</translation>
    </message>
    <message>
        <source>Find a term</source>
        <translation>용어 찾기</translation>
    </message>
    <message>
        <source>Terms</source>
        <translation>용어</translation>
    </message>
    <message>
        <source>No term fits. Clear the field to see all of them.</source>
        <translation>맞는 용어가 없습니다. 입력란을 비우면 모든 용어가 보입니다.</translation>
    </message>
</context>
<context>
    <name>GraphicsScene</name>
    <message>
        <source>Export...</source>
        <translation>내보내기...</translation>
    </message>
</context>
<context>
    <name>Handout</name>
    <message>
        <source>Position {0} is read as {1}.</source>
        <translation>위치 {0}의 토큰을 {1} 토큰으로 바꾸어 읽었습니다.</translation>
    </message>
    <message>
        <source>Head {0} of layer {1} is muted.</source>
        <translation>레이어 {1}의 헤드 {0}의 출력을 껐습니다.</translation>
    </message>
</context>
<context>
    <name>Handouts</name>
    <message>
        <source>hand-out {0}.{1}</source>
        <translation>학습지 {0}.{1}</translation>
    </message>
    <message>
        <source>Hand-out of this head</source>
        <translation>이 헤드의 학습지</translation>
    </message>
</context>
<context>
    <name>HeadController</name>
    <message>
        <source>There is nothing to add yet: type a sentence.</source>
        <translation>아직 추가할 것이 없습니다. 문장을 쓰세요.</translation>
    </message>
    <message>
        <source>Added the picture of {0} to the notes about layer {1}, head {2}.</source>
        <translation>{0}의 그림을 레이어 {1}, 헤드 {2}의 메모에 추가했습니다.</translation>
    </message>
    <message>
        <source>Save the notes</source>
        <translation>메모 저장</translation>
    </message>
    <message>
        <source>Wrote {0}.</source>
        <translation>저장했습니다: {0}</translation>
    </message>
</context>
<context>
    <name>HeadMenu</name>
    <message>
        <source>Compare with it muted</source>
        <translation>끄고 비교</translation>
    </message>
    <message>
        <source>Compare with it unmuted</source>
        <translation>켜고 비교</translation>
    </message>
    <message>
        <source>Open in a new panel</source>
        <translation>새 패널에서 열기</translation>
    </message>
    <message>
        <source>Head {0}·{1}: on</source>
        <translation>헤드 {0}·{1}: 그대로</translation>
    </message>
    <message>
        <source>Head {0}·{1}: zero (mute)</source>
        <translation>헤드 {0}·{1}: 출력을 0으로(끄기)</translation>
    </message>
    <message>
        <source>Head {0}·{1}: mean over the reference text</source>
        <translation>헤드 {0}·{1}: 기준 글에서 낸 평균</translation>
    </message>
    <message>
        <source>Head {0}·{1}: uniform (equal weights)</source>
        <translation>헤드 {0}·{1}: 같은 가중치</translation>
    </message>
    <message>
        <source>All interventions …</source>
        <translation>모든 개입 …</translation>
    </message>
</context>
<context>
    <name>HeadPage</name>
    <message>
        <source>The head before (Page Up)</source>
        <translation>앞 헤드(Page Up)</translation>
    </message>
    <message>
        <source>The next head (Page Down)</source>
        <translation>다음 헤드(Page Down)</translation>
    </message>
    <message>
        <source>Leave the page of the head</source>
        <translation>헤드 페이지 떠나기</translation>
    </message>
    <message>
        <source>Measure of the distribution</source>
        <translation>분포로 볼 지표</translation>
    </message>
    <message>
        <source>What it looks at</source>
        <translation>보는 곳</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Share of the weight by distance from query to key</source>
        <translation>쿼리에서 키까지의 거리에 따른 가중치의 몫</translation>
    </message>
    <message>
        <source>Pieces with most weight: in total, and each time that they occur</source>
        <translation>가중치가 가장 많은 조각: 합계와, 한 번 나올 때마다</translation>
    </message>
    <message>
        <source>as query</source>
        <translation>쿼리로서</translation>
    </message>
    <message>
        <source>as key</source>
        <translation>키로서</translation>
    </message>
    <message>
        <source>Choose a file of texts …</source>
        <translation>글 파일 고르기 …</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>멈춤</translation>
    </message>
    <message>
        <source>Collect examples</source>
        <translation>예문 모으기</translation>
    </message>
    <message>
        <source>Examples are those of a file of texts.</source>
        <translation>예문은 글 파일에서 나옵니다.</translation>
    </message>
    <message>
        <source>Collecting examples of all heads …{0} What is done stays saved.</source>
        <translation>모든 헤드의 예문을 모으는 중 …{0} 끝난 부분은 저장되어 있습니다.</translation>
    </message>
    <message>
        <source>For examples every sentence is encoded once more, for all heads at once.</source>
        <translation>예문을 모으려면 모든 문장을 한 번 더 인코딩합니다. 모든 헤드를 한꺼번에 모읍니다.</translation>
    </message>
    <message>
        <source>query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>Of each sentence the pair of tokens with the largest weight, without special tokens.</source>
        <translation>문장마다 특수 토큰을 빼고 가중치가 가장 큰 토큰 쌍입니다.</translation>
    </message>
    <message>
        <source>Of each sentence the pair of tokens with the largest weight, special tokens too.</source>
        <translation>문장마다 특수 토큰까지 넣어 가중치가 가장 큰 토큰 쌍입니다.</translation>
    </message>
    <message>
        <source>Tenths are those of {0} sampled sentences of {1}; the strongest are exact. Click a sentence to show it.</source>
        <translation>10분위는 문장 {1}개 가운데 뽑은 {0}개의 것이고, 가장 강한 것은 정확합니다. 문장을 누르면 창에 보입니다.</translation>
    </message>
</context>
<context>
    <name>HeadScatter</name>
    <message>
        <source>Across</source>
        <translation>가로</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>세로</translation>
    </message>
    <message>
        <source>{0}, mean of the corpus</source>
        <translation>{0}, 말뭉치의 평균</translation>
    </message>
    <message>
        <source>{0}, sentence on screen</source>
        <translation>{0}, 화면의 문장</translation>
    </message>
    <message>
        <source>The sentence on screen is of another checkpoint, or not measured yet.</source>
        <translation>화면의 문장은 다른 체크포인트의 것이거나 아직 측정되지 않았습니다.</translation>
    </message>
</context>
<context>
    <name>HeadStrip</name>
    <message>
        <source>Heads drawn as lines</source>
        <translation>연결선으로 그릴 헤드</translation>
    </message>
    <message>
        <source>Head {0}: click to show or hide its lines, double click to show it alone (again: all).
The wheel changes the layer.</source>
        <translation>헤드 {0}: 클릭하면 이 헤드의 연결선을 보이거나 숨깁니다. 두 번 클릭하면 이 헤드만 (다시 하면 모두) 보입니다.
휠을 돌리면 다른 레이어로 갑니다.</translation>
    </message>
</context>
<context>
    <name>HeadTiles</name>
    <message>
        <source>head {0}·{1}: {2} of its weight has moved</source>
        <translation>헤드 {0}·{1}: 가중치의 {2}가 옮겨졌습니다</translation>
    </message>
    <message>
        <source>Layer {0}, head {1}</source>
        <translation>레이어 {0}, 헤드 {1}</translation>
    </message>
    <message>
        <source>muted: its output is zero</source>
        <translation>꺼짐: 출력이 0입니다</translation>
    </message>
    <message>
        <source>{0} of its weight has moved</source>
        <translation>가중치의 {0}가 옮겨졌습니다</translation>
    </message>
</context>
<context>
    <name>HeadsModel</name>
    <message>
        <source>head</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Mean over the queries. A click sorts, a right click chooses the columns.</source>
        <translation>쿼리 전체의 평균입니다. 클릭하면 정렬하고, 오른쪽 클릭하면 열을 고릅니다.</translation>
    </message>
    <message>
        <source>Each row of these numbers is divided by its sum: {0}.</source>
        <translation>이 수치의 각 행을 그 합으로 나눈 값입니다: {0}.</translation>
    </message>
    <message>
        <source>Layer · head, counted from 0</source>
        <translation>레이어 · 헤드, 0부터 셉니다</translation>
    </message>
    <message>
        <source>In brackets: the mean of this head over random orders of the words. In the header: the value of equal weights, and the largest that is possible.</source>
        <translation>괄호 안: 단어를 무작위로 섞었을 때 이 헤드의 평균. 제목 줄: 가중치가 모두 같을 때의 값과 가능한 가장 큰 값.</translation>
    </message>
    <message>
        <source>equal {0}</source>
        <translation>균등 {0}</translation>
    </message>
    <message>
        <source>The weight with which the pinned pair&apos;s query looks at its key: {0}</source>
        <translation>고정한 쌍의 쿼리가 키를 보는 가중치: {0}</translation>
    </message>
    <message>
        <source>role</source>
        <translation>하는 일</translation>
    </message>
</context>
<context>
    <name>HeadsPicture</name>
    <message>
        <source>How much of its weight each layer has moved</source>
        <translation>레이어마다 옮긴 가중치</translation>
    </message>
    <message>
        <source>Before: all heads, layers from the top</source>
        <translation>전: 모든 헤드, 레이어는 위에서부터</translation>
    </message>
    <message>
        <source>Now: what has changed is framed</source>
        <translation>지금: 달라진 것에 테두리</translation>
    </message>
    <message>
        <source>All heads now. Enter mutes one, or unmutes it</source>
        <translation>지금의 모든 헤드. Enter를 누르면 끄거나 켭니다</translation>
    </message>
    <message>
        <source>Enter mutes a head</source>
        <translation>Enter를 누르면 헤드를 끕니다</translation>
    </message>
    <message>
        <source>All heads: layers from the top, heads from the left</source>
        <translation>모든 헤드: 위에서부터 레이어, 왼쪽부터 헤드</translation>
    </message>
    <message>
        <source>The text is another one now, so nothing can be compared.</source>
        <translation>글이 바뀌어 비교할 수 없습니다.</translation>
    </message>
    <message>
        <source>layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>How much “{0}” looks at “{1}” in each head</source>
        <translation>헤드마다 ‘{0}’ 토큰이 ‘{1}’ 토큰을 보는 정도</translation>
    </message>
    <message>
        <source>Each tile is a matrix: the rows look at the columns.</source>
        <translation>한 칸이 행렬 하나입니다. 행이 열을 봅니다.</translation>
    </message>
    <message>
        <source>Click a head to mute it. Bars: the share of its weight that each layer then moves.</source>
        <translation>헤드를 클릭하면 꺼집니다. 막대는 그때 레이어마다 다른 곳으로 옮기는 가중치의 비율입니다.</translation>
    </message>
    <message>
        <source>There is no layer after it: no attention changes.</source>
        <translation>그 뒤에는 레이어가 없어 어텐션이 달라지지 않습니다.</translation>
    </message>
    <message>
        <source>Up to layer {0} all is as before. In the layers after it heads have moved {1} of their weight on average, head {2}·{3} the most: {4}.</source>
        <translation>레이어 {0}까지는 그대로입니다. 그 뒤의 레이어에서는 헤드가 가중치를 평균 {1} 옮겼습니다. 가장 많이 옮긴 것은 헤드 {2}·{3}입니다({4}).</translation>
    </message>
</context>
<context>
    <name>HeadsTable</name>
    <message>
        <source>Measures of all heads</source>
        <translation>모든 헤드의 지표</translation>
    </message>
    <message>
        <source>What the head does</source>
        <translation>헤드가 하는 일</translation>
    </message>
    <message>
        <source>Null baselines: equal weights, shuffled words</source>
        <translation>기준값: 같은 가중치, 섞은 단어</translation>
    </message>
</context>
<context>
    <name>HistoryController</name>
    <message>
        <source>Folder of a training</source>
        <translation>학습 폴더</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Texts to measure</source>
        <translation>잴 글</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Folder of a training …</source>
        <translation>학습 폴더 …</translation>
    </message>
    <message>
        <source>Other texts …</source>
        <translation>다른 글 …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>A: first, B: this one</source>
        <translation>A: 처음, B: 지금 것</translation>
    </message>
    <message>
        <source>Open the first checkpoint as run A and this one as run B</source>
        <translation>처음 체크포인트를 실행 A로, 지금 것을 실행 B로 엽니다</translation>
    </message>
    <message>
        <source>A training over time</source>
        <translation>학습의 시간</translation>
    </message>
    <message>
        <source>Heads that form</source>
        <translation>생겨나는 헤드</translation>
    </message>
    <message>
        <source>Choose the folder in which a training saved checkpoint-100, checkpoint-200, …</source>
        <translation>학습이 checkpoint-100, checkpoint-200을 저장한 폴더를 고르세요 …</translation>
    </message>
    <message>
        <source>Every head of every checkpoint is measured once on the same sentences.</source>
        <translation>체크포인트마다 모든 헤드를 같은 문장들로 한 번 잽니다.</translation>
    </message>
    <message>
        <source>Move the slider: which heads were there from the start, and which form when?</source>
        <translation>슬라이더를 움직여 보세요. 처음부터 있던 헤드는 무엇이고, 언제 생겨나는 헤드는 무엇일까요?</translation>
    </message>
    <message>
        <source>What heads become while a model learns</source>
        <translation>모델이 배우는 동안 헤드는 무엇이 되는가</translation>
    </message>
    <message>
        <source>Back to the heads (measuring continues)</source>
        <translation>헤드로 돌아가기 (재기는 계속됨)</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>측도</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>Heads by how much they change</source>
        <translation>많이 바뀐 순서의 헤드</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>{0} 단계</translation>
    </message>
    <message>
        <source>Measuring the checkpoints in {0} …</source>
        <translation>{0}의 체크포인트를 재는 중 …</translation>
    </message>
    <message>
        <source>{0} checkpoints, {1} texts of {2}</source>
        <translation>체크포인트 {0}개, {2}의 글 {1}개</translation>
    </message>
    <message>
        <source>{0}·{1}   {2} → {3}   step {4}</source>
        <translation>{0}·{1}   {2} → {3}   {4} 단계</translation>
    </message>
    <message>
        <source>Half of the change is made by step {0}</source>
        <translation>변화의 절반이 {0} 단계까지 일어남</translation>
    </message>
</context>
<context>
    <name>InspectorView</name>
    <message>
        <source>Numbers of the pair under the pointer</source>
        <translation>가리킨 쌍의 수치</translation>
    </message>
    <message>
        <source>Right click: switch or replace this head, or set this weight</source>
        <translation>오른쪽 클릭: 이 헤드를 끄거나 바꾸고, 이 가중치를 정합니다</translation>
    </message>
    <message>
        <source>{0} looks at</source>
        <translation>‘{0}’ →</translation>
    </message>
    <message>
        <source>{0} is looked at by</source>
        <translation>→ ‘{0}’</translation>
    </message>
    <message>
        <source>Enlarge the card: what “{0}” looks at</source>
        <translation>카드를 키우면: ‘{0}’의 어텐션 목록</translation>
    </message>
    <message>
        <source>rank {0} of {1} in its row</source>
        <translation>행에서 {1}개 중 {0}위</translation>
    </message>
    <message>
        <source>query · key</source>
        <translation>쿼리 · 키</translation>
    </message>
    <message>
        <source>+ bias of the distance</source>
        <translation>+ 거리의 편향</translation>
    </message>
    <message>
        <source>… {0} more: enlarge the card</source>
        <translation>… {0}줄 더: 카드를 키우세요</translation>
    </message>
    <message>
        <source>rows add up to 1</source>
        <translation>각 행의 합은 1</translation>
    </message>
    <message>
        <source>rank {0} of {1}</source>
        <translation>{1}개 중 {0}위</translation>
    </message>
    <message>
        <source>others {0}</source>
        <translation>다른 토큰 평균 {0}</translation>
    </message>
    <message>
        <source>+ window (0 inside)</source>
        <translation>+ 창 (안은 0)</translation>
    </message>
    <message>
        <source>+ mask of later keys</source>
        <translation>+ 뒤쪽 키의 마스크</translation>
    </message>
    <message>
        <source>+ number for the block of the key</source>
        <translation>+ 키의 블록에 더하는 수</translation>
    </message>
    <message>
        <source>+ content → position</source>
        <translation>+ 내용 → 위치</translation>
    </message>
    <message>
        <source>+ position → content</source>
        <translation>+ 위치 → 내용</translation>
    </message>
    <message>
        <source>in run A</source>
        <translation>실행 A에서</translation>
    </message>
    <message>
        <source>in run B</source>
        <translation>실행 B에서</translation>
    </message>
    <message>
        <source>attention weight</source>
        <translation>어텐션 가중치</translation>
    </message>
    <message>
        <source>= score</source>
        <translation>= 점수</translation>
    </message>
    <message>
        <source>in layer {0}, head {1}</source>
        <translation>레이어 {0}, 헤드 {1}에서</translation>
    </message>
    <message>
        <source>softmax over</source>
        <translation>소프트맥스 범위</translation>
    </message>
    <message>
        <source>row entropy</source>
        <translation>행 엔트로피</translation>
    </message>
    <message>
        <source>column mean</source>
        <translation>열 평균</translation>
    </message>
    <message>
        <source>mean weight on the previous token</source>
        <translation>바로 앞 토큰에 주는 평균 가중치</translation>
    </message>
    <message>
        <source>mean weight on the next token</source>
        <translation>바로 뒤 토큰에 주는 평균 가중치</translation>
    </message>
    <message>
        <source>mean weight on {0}</source>
        <translation>{0} 토큰에 주는 평균 가중치</translation>
    </message>
    <message>
        <source>mean weight of a token on itself</source>
        <translation>토큰이 자신에게 주는 평균 가중치</translation>
    </message>
    <message>
        <source>mean weight on the same word</source>
        <translation>같은 단어에 주는 평균 가중치</translation>
    </message>
    <message>
        <source>mean entropy of its rows</source>
        <translation>행의 평균 엔트로피</translation>
    </message>
    <message>
        <source>weights alone</source>
        <translation>가중치뿐</translation>
    </message>
    <message>
        <source>{0} keys</source>
        <translation>키 {0}개</translation>
    </message>
    <message>
        <source>{0:.3f} bits</source>
        <translation>{0:.3f}비트</translation>
    </message>
</context>
<context>
    <name>Interventions</name>
    <message>
        <source>muted</source>
        <translation>끈 헤드</translation>
    </message>
    <message>
        <source>Head {0}·{1}</source>
        <translation>헤드 {0}·{1}</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>{0}·{1}: {2} = {3}</source>
        <translation>{0}·{1}: {2} = {3}</translation>
    </message>
    <message>
        <source>{0}: the embedding of token {1} of “{2}”</source>
        <translation>{0}: “{2}”의 토큰 {1}의 임베딩</translation>
    </message>
    <message>
        <source>{0} after layer {1}: as token {2} of “{3}”</source>
        <translation>레이어 {1} 뒤의 {0}: “{3}”의 토큰 {2}의 상태</translation>
    </message>
    <message>
        <source>mean over “{0}”</source>
        <translation>“{0}”에서 낸 평균</translation>
    </message>
    <message>
        <source>equal weights</source>
        <translation>같은 가중치</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>출력 0</translation>
    </message>
    <message>
        <source>weights set</source>
        <translation>정한 가중치 있음</translation>
    </message>
    <message>
        <source>some weights are set</source>
        <translation>정한 가중치 있음</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>마스크</translation>
    </message>
    <message>
        <source>replaced by {0}</source>
        <translation>바꿈: {0}</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>뺌</translation>
    </message>
    <message>
        <source>segment {0}</source>
        <translation>세그먼트 {0}</translation>
    </message>
    <message>
        <source>position {0}</source>
        <translation>위치 {0}</translation>
    </message>
    <message>
        <source>token {0}</source>
        <translation>토큰 {0}</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>pooled</source>
        <translation>풀링</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰</translation>
    </message>
    <message>
        <source>“{0}” at {1}</source>
        <translation>“{0}”, {1}</translation>
    </message>
    <message>
        <source>Sentence 2 follows</source>
        <translation>문장 2가 이어짐</translation>
    </message>
    <message>
        <source>Sentences in their order</source>
        <translation>두 문장이 제 순서임</translation>
    </message>
    <message>
        <source>Cosine ({0})</source>
        <translation>코사인({0})</translation>
    </message>
    <message>
        <source>Cosine with B ({0})</source>
        <translation>B와의 코사인({0})</translation>
    </message>
    <message>
        <source>Probability of this piece by the checkpoint&apos;s head for masked tokens. Before: the text with its masks and no other intervention.</source>
        <translation>체크포인트의 가린 토큰 예측 헤드가 이 조각에 준 확률입니다. 전: 마스크만 있고 다른 개입이 없는 글.</translation>
    </message>
    <message>
        <source>Cosine of the vector with the one before: 1 where nothing changed.</source>
        <translation>개입하기 전 벡터와의 코사인입니다. 달라지지 않았으면 1입니다.</translation>
    </message>
    <message>
        <source>Run B with its own interventions. Before: run A without any.</source>
        <translation>실행 B는 자기 개입을 그대로 둡니다. 전: 개입이 없는 실행 A.</translation>
    </message>
    <message>
        <source>By the checkpoint&apos;s own task head. Before: the text without any intervention.</source>
        <translation>체크포인트의 과제 헤드가 낸 값입니다. 전: 개입이 없는 글.</translation>
    </message>
</context>
<context>
    <name>InterventionsView</name>
    <message>
        <source>Remove: {0}</source>
        <translation>지우기: {0}</translation>
    </message>
    <message>
        <source>Rename: {0}</source>
        <translation>이름 바꾸기: {0}</translation>
    </message>
    <message>
        <source>Run {0}</source>
        <translation>실행 {0}</translation>
    </message>
    <message>
        <source>Interventions in run {0}</source>
        <translation>실행 {0}에 한 개입</translation>
    </message>
    <message>
        <source>Nothing in run {0} is changed. Right-click a head, a token or a pair in a panel.</source>
        <translation>실행 {0}에 개입한 것이 없습니다. 패널에서 헤드, 토큰, 쌍을 오른쪽 클릭하세요.</translation>
    </message>
    <message>
        <source>A weight that is set in a muted head, or in one replaced by its mean, changes nothing.</source>
        <translation>출력을 0이나 평균으로 바꾼 헤드에서는 가중치를 정해도 결과가 달라지지 않습니다.</translation>
    </message>
    <message>
        <source>Name this set …</source>
        <translation>이름 붙이기 …</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>모두 지우기</translation>
    </message>
    <message>
        <source>Sets</source>
        <translation>이름 붙인 묶음</translation>
    </message>
    <message>
        <source>{0} ({1})</source>
        <translation>{0} ({1})</translation>
    </message>
    <message>
        <source>Reference text of means</source>
        <translation>평균을 낼 기준 글</translation>
    </message>
    <message>
        <source>A head that is replaced by its mean has, at every token, the mean of its output over all tokens of this text, special ones among them. Enter takes another text.</source>
        <translation>평균으로 바꾼 헤드는 어느 토큰에서나 이 글의 모든 토큰(특수 토큰 포함)에서 낸 출력의 평균을 내보냅니다. 글을 고치고 Enter를 누르세요.</translation>
    </message>
    <message>
        <source>Outcome: before → after</source>
        <translation>결과: 전 → 후</translation>
    </message>
    <message>
        <source>Mask a token, or open a checkpoint with task heads, for more outcomes.</source>
        <translation>토큰을 마스크하거나 과제 헤드가 있는 체크포인트를 열면 더 많은 결과가 나옵니다.</translation>
    </message>
    <message>
        <source>This name replaces the set that has it.</source>
        <translation>이 이름을 가진 묶음을 대신하게 됩니다.</translation>
    </message>
    <message>
        <source>Name this set</source>
        <translation>이름 붙이기</translation>
    </message>
    <message>
        <source>New name of the set “{0}”:</source>
        <translation>묶음 “{0}”의 새 이름:</translation>
    </message>
    <message>
        <source>Another set has this name.</source>
        <translation>다른 묶음이 이미 이 이름을 씁니다.</translation>
    </message>
    <message>
        <source>Rename the set</source>
        <translation>묶음 이름 바꾸기</translation>
    </message>
    <message>
        <source>Name of the interventions that are on:</source>
        <translation>지금 켜 둔 개입의 이름:</translation>
    </message>
</context>
<context>
    <name>JoinedPicture</name>
    <message>
        <source>Vectors as strips. Enter on the joined one mixes it</source>
        <translation>띠로 그린 벡터들. 이어 붙인 벡터에서 Enter를 누르면 섞습니다</translation>
    </message>
    <message>
        <source>“{0}” in layer {1}: {2} heads of {3} numbers are joined to one vector of {4}</source>
        <translation>레이어 {1}의 ‘{0}’: 헤드 {2}개의 수 {3}개씩을 이어 붙인 수 {4}개</translation>
    </message>
    <message>
        <source>head {0}</source>
        <translation>헤드 {0}</translation>
    </message>
    <message>
        <source>joined</source>
        <translation>이어 붙임</translation>
    </message>
    <message>
        <source>mixed</source>
        <translation>섞음</translation>
    </message>
    <message>
        <source>Click the joined vector: W_O mixes it.</source>
        <translation>이어 붙인 벡터를 클릭하면 W_O가 섞습니다.</translation>
    </message>
    <message>
        <source>Each number of the mixed vector has something of every head.</source>
        <translation>섞은 벡터의 수 하나하나에 모든 헤드의 출력이 들어 있습니다.</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>en</source>
        <translation>ko</translation>
    </message>
</context>
<context>
    <name>LayerBar</name>
    <message>
        <source>Play through the layers</source>
        <translation>레이어 차례로 재생</translation>
    </message>
    <message>
        <source>The layer whose hidden states are shown</source>
        <translation>은닉 상태를 보이는 레이어</translation>
    </message>
    <message>
        <source>Previous layer (, or Page Up)</source>
        <translation>이전 레이어 (, 또는 Page Up)</translation>
    </message>
    <message>
        <source>Next layer (. or Page Down)</source>
        <translation>다음 레이어 (. 또는 Page Down)</translation>
    </message>
    <message>
        <source>Previous layer</source>
        <translation>이전 레이어</translation>
    </message>
    <message>
        <source>Next layer</source>
        <translation>다음 레이어</translation>
    </message>
    <message>
        <source>Layer of the hidden states</source>
        <translation>은닉 상태의 레이어</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>A file is still being written. Quit anyway?</source>
        <translation>파일을 저장하는 중입니다. 종료할까요?</translation>
    </message>
    <message>
        <source>The window closes by itself as soon as the file is complete.</source>
        <translation>파일 저장이 끝나면 창이 저절로 닫힙니다.</translation>
    </message>
    <message>
        <source>Finish the file, then quit</source>
        <translation>저장을 마치고 종료</translation>
    </message>
    <message>
        <source>Do not quit</source>
        <translation>종료하지 않기</translation>
    </message>
</context>
<context>
    <name>LessonCard</name>
    <message>
        <source>Lesson</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>이전</translation>
    </message>
    <message>
        <source>Reset the window to the beginning of this station</source>
        <translation>이 장면이 시작할 때의 화면으로 되돌립니다</translation>
    </message>
    <message>
        <source>The station before (Page Up)</source>
        <translation>이전 장면 (Page Up)</translation>
    </message>
    <message>
        <source>The next station (Page Down)</source>
        <translation>다음 장면 (Page Down)</translation>
    </message>
    <message>
        <source>Leave the lesson and go back to your own work (Esc)</source>
        <translation>수업 나가기. 수업 전에 보던 것으로 돌아갑니다 (Esc)</translation>
    </message>
    <message>
        <source>The end of the lesson</source>
        <translation>수업의 끝</translation>
    </message>
    <message>
        <source>The file has changed, and cannot be read. This is the version before.</source>
        <translation>파일이 바뀌었으나 읽을 수 없습니다. 지금 보이는 것은 바뀌기 전의 수업입니다.</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>마치기</translation>
    </message>
    <message>
        <source>Reset the picture</source>
        <translation>화면 되돌리기</translation>
    </message>
    <message>
        <source>Open in Explore</source>
        <translation>살펴보기에서 열기</translation>
    </message>
    <message>
        <source>Leave the lesson, and see what it shows with every number</source>
        <translation>수업에서 나가, 보던 것을 모든 수와 함께 봅니다</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>The end of the lesson (Page Down)</source>
        <translation>수업의 끝 (Page Down)</translation>
    </message>
    <message>
        <source>This station needs its own sentence. Yours comes back where it fits.</source>
        <translation>여기서는 정해진 문장이 필요합니다. 직접 쓴 문장은 쓸 수 있는 곳에서 다시 나옵니다.</translation>
    </message>
    <message>
        <source>You may type a sentence of your own.</source>
        <translation>직접 문장을 입력해도 됩니다.</translation>
    </message>
    <message>
        <source>The sentence is English because this model was trained on English text.</source>
        <translation>이 모델을 영어 글로 학습했기 때문에 예문도 영어입니다.</translation>
    </message>
    <message>
        <source>The text of this station has no token “{0}”, so it is not pinned.</source>
        <translation>이 장면의 글에 ‘{0}’ 토큰이 없어서 고정하지 못했습니다.</translation>
    </message>
</context>
<context>
    <name>LessonCatalogue</name>
    <message>
        <source>lesson {0}, {1}</source>
        <translation>수업 {0}, {1}</translation>
    </message>
    <message>
        <source>Open a lesson</source>
        <translation>수업 열기</translation>
    </message>
    <message>
        <source>Lessons (*.json)</source>
        <translation>수업 (*.json)</translation>
    </message>
</context>
<context>
    <name>LessonEnd</name>
    <message>
        <source>My own sentence</source>
        <translation>내 문장으로 해 보기</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>다음 수업</translation>
    </message>
    <message>
        <source>All lessons</source>
        <translation>모든 수업</translation>
    </message>
    <message>
        <source>Certificate …</source>
        <translation>수료증 …</translation>
    </message>
    <message>
        <source>{0} of {1} stations of this lesson are solved; Back leads to them.</source>
        <translation>이 수업의 장면 {1}개 가운데 {0}개를 풀었습니다. ‘이전’을 누르면 돌아갑니다.</translation>
    </message>
    <message>
        <source>{0} of {1} lessons are done.</source>
        <translation>수업 {1}개 가운데 {0}개를 마쳤습니다.</translation>
    </message>
</context>
<context>
    <name>LessonList</name>
    <message>
        <source>Lessons</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Folder of own lessons</source>
        <translation>내 수업 폴더</translation>
    </message>
    <message>
        <source>Lesson files in it are listed here; the preferences name the folder</source>
        <translation>이 폴더의 수업 파일이 여기에 나옵니다. 폴더는 환경 설정에서 정합니다</translation>
    </message>
    <message>
        <source>Open a lesson file …</source>
        <translation>수업 파일 열기 …</translation>
    </message>
    <message>
        <source>A lesson that is somewhere else</source>
        <translation>다른 곳에 있는 수업</translation>
    </message>
    <message>
        <source>Leave the lessons (Esc)</source>
        <translation>수업 목록 닫기(Esc)</translation>
    </message>
    <message>
        <source>{0} of {1} lessons are done.</source>
        <translation>수업 {1}개 가운데 {0}개를 마쳤습니다.</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Here a sentence goes in.</source>
        <translation>문장이 여기로 들어갑니다.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>Own lessons</source>
        <translation>내 수업</translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation>{0}분</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>다시 하기</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>이어서 보기</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>시작</translation>
    </message>
</context>
<context>
    <name>LessonPicture</name>
    <message>
        <source>Each line of a strip is a number: grey below 0, orange above, faint near 0.</source>
        <translation>띠의 줄 하나가 수 하나입니다. 0보다 작으면 회색, 크면 주황, 0에 가까우면 옅습니다.</translation>
    </message>
</context>
<context>
    <name>LessonPrinter</name>
    <message>
        <source>Open the lesson that is to be printed first.</source>
        <translation>먼저 인쇄할 수업을 여세요.</translation>
    </message>
    <message>
        <source>Print the lesson</source>
        <translation>수업 인쇄</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Station {0} of {1} …</source>
        <translation>장면 {0}/{1} …</translation>
    </message>
</context>
<context>
    <name>Lessons</name>
    <message>
        <source>Hands for: {0}</source>
        <translation>손 든 사람 수: {0}</translation>
    </message>
    <message>
        <source>Keys: 1 to {0} count a hand, Backspace takes the last one back.</source>
        <translation>키: 1~{0}은 손 하나를 더하고, Backspace는 마지막 하나를 뺍니다.</translation>
    </message>
    <message>
        <source>Reveal the answer</source>
        <translation>답 공개</translation>
    </message>
    <message>
        <source>Show which answer is right (Shift+R)</source>
        <translation>맞는 답을 보여 줍니다 (Shift+R)</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>확인</translation>
    </message>
    <message>
        <source>Number {0}</source>
        <translation>{0}번째 수</translation>
    </message>
    <message>
        <source>Type a number in each field, such as 0.25.</source>
        <translation>칸마다 0.25 같은 수를 입력하세요.</translation>
    </message>
    <message>
        <source>Items to put in order</source>
        <translation>순서대로 놓을 항목</translation>
    </message>
    <message>
        <source>Move up (Alt+↑)</source>
        <translation>위로 (Alt+↑)</translation>
    </message>
    <message>
        <source>Move down (Alt+↓)</source>
        <translation>아래로 (Alt+↓)</translation>
    </message>
    <message>
        <source>{0} (lesson {1})</source>
        <translation>{0} (수업 {1})</translation>
    </message>
    <message>
        <source>You have left the lesson “{0}”. All lessons: Ctrl+Shift+L</source>
        <translation>“{0}” 수업을 나왔습니다. 모든 수업: Ctrl+Shift+L</translation>
    </message>
    <message>
        <source>certificate</source>
        <translation>수료증</translation>
    </message>
    <message>
        <source>Save the certificate</source>
        <translation>수료증 저장</translation>
    </message>
</context>
<context>
    <name>LessonsFolderRow</name>
    <message>
        <source>Choose …</source>
        <translation>고르기 …</translation>
    </message>
    <message>
        <source>Use the default</source>
        <translation>기본 폴더</translation>
    </message>
</context>
<context>
    <name>LinesPicture</name>
    <message>
        <source>Multiply the second row</source>
        <translation>둘째 행에 곱하기</translation>
    </message>
    <message>
        <source>Add a number to the second row</source>
        <translation>둘째 행에 더하기</translation>
    </message>
    <message>
        <source>times</source>
        <translation>곱하기</translation>
    </message>
    <message>
        <source>plus</source>
        <translation>더하기</translation>
    </message>
    <message>
        <source>Numbers on lines below each other</source>
        <translation>위아래로 놓인 수직선들의 수</translation>
    </message>
    <message>
        <source>Layer {0}: the {1} numbers of “{2}” in the norm behind the attention</source>
        <translation>레이어 {0}: 어텐션 다음의 정규화를 지나는 ‘{2}’의 수 {1}개</translation>
    </message>
    <message>
        <source>x + attention(x): what came in, and what the attention adds</source>
        <translation>x + 어텐션(x): 들어온 것에 어텐션의 출력을 더한 것</translation>
    </message>
    <message>
        <source>less the mean</source>
        <translation>평균을 뺀 것</translation>
    </message>
    <message>
        <source>divided by the standard deviation</source>
        <translation>표준편차로 나눈 것</translation>
    </message>
    <message>
        <source>times γ, plus β</source>
        <translation>γ를 곱하고 β를 더한 것</translation>
    </message>
    <message>
        <source>{0} dots lie farther out: they are drawn at the end of their line.</source>
        <translation>점 {0}개는 더 멀리 있어 선의 끝에 그렸습니다.</translation>
    </message>
    <message>
        <source>Two rows of four numbers, and what the normalisation makes of both</source>
        <translation>수 네 개로 된 두 행과, 정규화한 결과</translation>
    </message>
    <message>
        <source>{0} × {1}, then {2}: {3}</source>
        <translation>{0} × {1}, 그다음 {2}: {3}</translation>
    </message>
    <message>
        <source>Both normalised: (x − mean) / standard deviation</source>
        <translation>둘 다 정규화: (x − 평균) / 표준편차</translation>
    </message>
    <message>
        <source>Move the sliders: the dots of the last line stay where they are.</source>
        <translation>슬라이더를 움직여도 맨 아래 선의 점들은 제자리에 있습니다.</translation>
    </message>
</context>
<context>
    <name>LinesView</name>
    <message>
        <source>Attention lines: queries on the left, keys on the right</source>
        <translation>어텐션 연결선: 왼쪽이 쿼리, 오른쪽이 키</translation>
    </message>
    <message>
        <source>A line leads from a token to one that it looks at: the stronger, the more attention.</source>
        <translation>선은 토큰에서 그 토큰이 보는 토큰으로 이어집니다. 진하고 굵을수록 어텐션이 큽니다.</translation>
    </message>
</context>
<context>
    <name>LogRow</name>
    <message>
        <source>Open its folder</source>
        <translation>폴더 열기</translation>
    </message>
</context>
<context>
    <name>LookView</name>
    <message>
        <source>First rows and columns …</source>
        <translation>첫 행들과 열 …</translation>
    </message>
</context>
<context>
    <name>LookedAtPicture</name>
    <message>
        <source>Layer {0}, head {1}: how much each token looks at “{2}”</source>
        <translation>레이어 {0}, 헤드 {1}: 각 토큰이 ‘{2}’ 쪽을 보는 정도</translation>
    </message>
    <message>
        <source>mean of the others</source>
        <translation>다른 토큰들의 평균</translation>
    </message>
    <message>
        <source>“{0}”: {1}. The other tokens: {2} on average.</source>
        <translation>‘{0}’: {1}. 다른 토큰들: 평균 {2}.</translation>
    </message>
</context>
<context>
    <name>LookupPicture</name>
    <message>
        <source>Tables of embeddings. Arrows choose a token</source>
        <translation>임베딩 표. 화살표로 토큰을 고릅니다</translation>
    </message>
    <message>
        <source>“{0}” picks one row of each table: by its ID {1}, its segment {2}, its position {3}</source>
        <translation>‘{0}’ 토큰은 표마다 한 행을 고릅니다. ID {1}, 세그먼트 {2}, 위치 {3}</translation>
    </message>
    <message>
        <source>The ID {0} picks row {0} of the table: {1} numbers. The table has {2} rows.</source>
        <translation>ID {0}: 표의 {0}행을 고릅니다. 수 {1}개로 된 행이고, 표에는 {2}행이 있습니다.</translation>
    </message>
</context>
<context>
    <name>LossCurve</name>
    <message>
        <source>The loss, −ln p, over the probability p of the right token</source>
        <translation>정답 토큰의 확률 p에 따른 손실 −ln p</translation>
    </message>
    <message>
        <source>p = {0}, loss {1}</source>
        <translation>p = {0}, 손실 {1}</translation>
    </message>
    <message>
        <source>probability p of the right token</source>
        <translation>정답 토큰의 확률 p</translation>
    </message>
</context>
<context>
    <name>MainArea</name>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>인스펙터</translation>
    </message>
    <message>
        <source>Interventions</source>
        <translation>개입</translation>
    </message>
    <message>
        <source>{0} heads · click to show one</source>
        <translation>헤드 {0}개 · 클릭하면 보입니다</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Saved {0}.</source>
        <translation>{0}: 저장했습니다.</translation>
    </message>
</context>
<context>
    <name>MapPage</name>
    <message>
        <source>One plane for all layers, by their common principal components: a point that moves is a vector that changes</source>
        <translation>모든 레이어를 공통 주성분의 평면에 그립니다. 점이 움직이면 벡터가 바뀐 것입니다</translation>
    </message>
    <message>
        <source>Each layer on its own plane, by its own principal components</source>
        <translation>레이어마다 그 레이어의 주성분으로 만든 평면에 그립니다</translation>
    </message>
    <message>
        <source>Axes: per layer</source>
        <translation>축: 레이어별</translation>
    </message>
    <message>
        <source>Axes: common</source>
        <translation>축: 공통</translation>
    </message>
    <message>
        <source>Axes of the map</source>
        <translation>지도의 축</translation>
    </message>
    <message>
        <source>Map of the tokens by principal components</source>
        <translation>주성분으로 그린 토큰 지도</translation>
    </message>
</context>
<context>
    <name>MaskPicture</name>
    <message>
        <source>Double-click a word: it is hidden from the model, which guesses it.</source>
        <translation>단어를 두 번 누르면 그 단어를 모델에게 가리고, 모델이 맞힙니다.</translation>
    </message>
    <message>
        <source>The model is guessing …</source>
        <translation>모델이 맞히는 중 …</translation>
    </message>
    <message>
        <source>What the model expects in place {0}:</source>
        <translation>위치 {0}에서 모델이 예상하는 것:</translation>
    </message>
    <message>
        <source>The hidden word was “{0}”: the model&apos;s first guess, with p = {1}.</source>
        <translation>가린 단어는 ‘{0}’이고, 모델이 첫째로 꼽았습니다. p = {1}</translation>
    </message>
    <message>
        <source>The hidden word was “{0}”: guess number {2}, with p = {1}.</source>
        <translation>가린 단어는 ‘{0}’이고, 모델은 {2}번째로 꼽았습니다. p = {1}</translation>
    </message>
    <message>
        <source>Loss = −ln p = −ln {0} = {1}</source>
        <translation>손실 = −ln p = −ln {0} = {1}</translation>
    </message>
</context>
<context>
    <name>Matrix</name>
    <message>
        <source>row max</source>
        <translation>행 최대</translation>
    </message>
    <message>
        <source>even</source>
        <translation>균등</translation>
    </message>
    <message>
        <source>only one of the two runs has this token</source>
        <translation>두 실행 중 하나에만 있는 토큰입니다</translation>
    </message>
    <message>
        <source>A − B {0} · A {1} · B {2}</source>
        <translation>A − B {0} · A {1} · B {2}</translation>
    </message>
    <message>
        <source>{0} {1} · query {2} · key {3}</source>
        <translation>{0} {1} · 쿼리 {2} · 키 {3}</translation>
    </message>
    <message>
        <source>{0} {1} · token {2} of this run · token {3} of the other run</source>
        <translation>{0} {1} · 이 실행의 토큰 {2} · 다른 실행의 토큰 {3}</translation>
    </message>
</context>
<context>
    <name>MatrixView</name>
    <message>
        <source>Attention matrix: rows look at columns</source>
        <translation>어텐션 행렬: 행이 열을 봅니다</translation>
    </message>
    <message>
        <source>A row is a token that looks: the stronger a cell, the more it looks at that column.</source>
        <translation>행은 보는 토큰, 열은 보이는 토큰입니다. 칸의 색이 진할수록 어텐션이 큽니다.</translation>
    </message>
</context>
<context>
    <name>Measures</name>
    <message>
        <source>bits</source>
        <translation>비트</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>{0} bits</source>
        <translation>{0}비트</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>토큰 {0}개</translation>
    </message>
    <message>
        <source>What the head does on this text, where that is plain: at least {0} of its attention goes to these tokens, as a mean over {1} queries or more; “broad” is an entropy as of equal weights on {2} of all tokens. The rule is this program&apos;s own; another text may give another name.</source>
        <translation>이 글에서 뚜렷할 때 헤드가 하는 일입니다. 쿼리 {1}개 이상의 평균으로 어텐션의 {0} 이상이 그 토큰으로 갑니다. ‘넓게 봄’은 전체 토큰의 {2}만큼을 고르게 볼 때보다 엔트로피가 작지 않다는 뜻입니다. 기준은 이 프로그램이 정한 것이며, 글이 바뀌면 이름도 바뀔 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Checkpoints</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>bfloat16: faster, less exact</source>
        <translation>bfloat16: 더 빠르지만 덜 정확함</translation>
    </message>
    <message>
        <source>{0} layers × {1} heads · {2}</source>
        <translation>레이어 {0} × 헤드 {1} · {2}</translation>
    </message>
    <message>
        <source>computed as plain {0}</source>
        <translation>일반 {0} 방식으로 계산</translation>
    </message>
    <message>
        <source>{0}   damaged: {1}</source>
        <translation>{0}   손상됨: {1}</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>아직 없음</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>모두 지우기</translation>
    </message>
    <message>
        <source>bfloat16: less exact, and often slower here (no AMX)</source>
        <translation>bfloat16: 덜 정확하고, 이 프로세서에는 AMX가 없어 더 느린 경우가 많음</translation>
    </message>
    <message>
        <source>{0} layers × {1} heads</source>
        <translation>레이어 {0}개 × 헤드 {1}개</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>family</source>
        <translation>계열</translation>
    </message>
    <message>
        <source>layers × heads × width</source>
        <translation>레이어 × 헤드 × 너비</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>어휘</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>file size</source>
        <translation>파일 크기</translation>
    </message>
    <message>
        <source>date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>has open questions</source>
        <translation>열 때 질문이 있음</translation>
    </message>
    <message>
        <source>in memory</source>
        <translation>메모리에 있음</translation>
    </message>
    <message>
        <source>bundled</source>
        <translation>내장</translation>
    </message>
    <message>
        <source>package</source>
        <translation>패키지</translation>
    </message>
    <message>
        <source>trained here</source>
        <translation>여기서 학습</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>캐시</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Date of its files: {0}</source>
        <translation>파일 날짜: {0}</translation>
    </message>
    <message>
        <source>In memory already: it opens at once.</source>
        <translation>메모리에 열려 있어 고르면 바로 바뀝니다.</translation>
    </message>
    <message>
        <source>All tensors match.</source>
        <translation>모든 텐서가 맞습니다.</translation>
    </message>
</context>
<context>
    <name>Missing</name>
    <message>
        <source>This is about {0}, which is not on this computer. The open checkpoint is used instead, so heads and numbers differ.</source>
        <translation>여기에서 다루는 {0} 체크포인트가 이 컴퓨터에 없습니다. 지금 연 체크포인트로 이어지므로 헤드와 수가 다릅니다.</translation>
    </message>
    <message>
        <source>To have it, run “{0}” and start the program again.</source>
        <translation>이 체크포인트를 쓰려면 ‘{0}’ 명령을 실행하고 프로그램을 다시 시작하세요.</translation>
    </message>
</context>
<context>
    <name>MotionBox</name>
    <message>
        <source>System</source>
        <translation>시스템 설정</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Reduced</source>
        <translation>줄이기</translation>
    </message>
</context>
<context>
    <name>Navigator</name>
    <message>
        <source>Map of the encoder</source>
        <translation>인코더 지도</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0}/{1}</translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>Weights of all tokens</source>
        <translation>모든 토큰의 가중치</translation>
    </message>
    <message>
        <source>Steps are of the attention weights of all tokens, whatever other views show: {0}.</source>
        <translation>‘단계’는 다른 보기가 무엇을 보이든 모든 토큰의 어텐션 가중치로 계산합니다: {0}.</translation>
    </message>
    <message>
        <source>identity holds to {0}</source>
        <translation>항등식 오차 {0}</translation>
    </message>
    <message>
        <source>grey: less than {0}, rounding alone</source>
        <translation>회색: {0}보다 작아 반올림일 뿐인 값</translation>
    </message>
    <message>
        <source>{0} or more</source>
        <translation>{0} 이상</translation>
    </message>
    <message>
        <source>from {0} to {1}</source>
        <translation>{0}~{1}</translation>
    </message>
    <message>
        <source>sample of {0} of {1} queries, the others follow</source>
        <translation>쿼리 {1}개 중 {0}개만 뽑은 표본, 나머지는 계산 중</translation>
    </message>
    <message>
        <source>special tokens hidden</source>
        <translation>특수 토큰 숨김</translation>
    </message>
    <message>
        <source>punctuation hidden</source>
        <translation>문장 부호 숨김</translation>
    </message>
    <message>
        <source>joined between spaces</source>
        <translation>띄어쓰기 단위로 합침</translation>
    </message>
    <message>
        <source>pieces joined</source>
        <translation>조각 합침</translation>
    </message>
    <message>
        <source>the rest of each row scaled to 1</source>
        <translation>행의 나머지 합을 1로 맞춤</translation>
    </message>
    <message>
        <source>rows add up to {0} to {1}</source>
        <translation>행의 합 {0}~{1}</translation>
    </message>
    <message>
        <source>lines from {0:.3g} on</source>
        <translation>{0:.3g} 이상인 선만</translation>
    </message>
    <message>
        <source>logarithmic</source>
        <translation>로그 척도</translation>
    </message>
    <message>
        <source>each row by its largest</source>
        <translation>행마다 최대 기준</translation>
    </message>
    <message>
        <source>each layer: the mean of its heads</source>
        <translation>레이어마다 헤드들의 평균</translation>
    </message>
    <message>
        <source>arcs from {0:.3g} on</source>
        <translation>{0:.3g}부터의 호만 그림</translation>
    </message>
</context>
<context>
    <name>NotesView</name>
    <message>
        <source>Tags, with commas between them</source>
        <translation>태그, 쉼표로 나누어</translation>
    </message>
    <message>
        <source>What does this head do? (Markdown)</source>
        <translation>이 헤드는 무엇을 할까요? (Markdown)</translation>
    </message>
    <message>
        <source>Add the panel&apos;s picture</source>
        <translation>패널의 그림 추가</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>빼기</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Save all notes …</source>
        <translation>메모 모두 저장 …</translation>
    </message>
    <message>
        <source>Tags of the head</source>
        <translation>헤드의 태그</translation>
    </message>
    <message>
        <source>Note about the head</source>
        <translation>헤드에 대한 메모</translation>
    </message>
    <message>
        <source>Pictures of the head</source>
        <translation>헤드의 그림</translation>
    </message>
    <message>
        <source>The picture of the active panel, with its sentence</source>
        <translation>활성 패널의 그림과 그 문장</translation>
    </message>
    <message>
        <source>Take the chosen picture out of the notes; “Undo” brings it back</source>
        <translation>고른 그림을 메모에서 뺍니다. “되돌리기”로 다시 넣을 수 있습니다</translation>
    </message>
    <message>
        <source>Take back the last change of the notes</source>
        <translation>메모에서 마지막으로 바꾼 것 되돌리기</translation>
    </message>
    <message>
        <source>The notes about all heads as Markdown, their pictures beside it</source>
        <translation>모든 헤드의 메모를 Markdown으로, 그림은 그 옆 폴더에</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close the notice</source>
        <translation>알림 닫기</translation>
    </message>
</context>
<context>
    <name>NumberLines</name>
    <message>
        <source>mean {0}, standard deviation {1}</source>
        <translation>평균 {0}, 표준편차 {1}</translation>
    </message>
</context>
<context>
    <name>NumbersPicker</name>
    <message>
        <source>Numbers shown: {0}; {1}</source>
        <translation>보이는 수치: {0}; {1}</translation>
    </message>
    <message>
        <source>Which numbers of attention all views show (Shift+W), and special tokens (Ctrl+H)</source>
        <translation>모든 보기에 나타나는 어텐션 수치(Shift+W)와 특수 토큰(Ctrl+H)</translation>
    </message>
</context>
<context>
    <name>NumbersState</name>
    <message>
        <source>Attention weights are shown instead.</source>
        <translation>대신 어텐션 가중치를 보여 줍니다.</translation>
    </message>
</context>
<context>
    <name>Options</name>
    <message>
        <source>loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>least important first</source>
        <translation>덜 중요한 것부터</translation>
    </message>
    <message>
        <source>at random</source>
        <translation>무작위로</translation>
    </message>
    <message>
        <source>head</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>sentence vector</source>
        <translation>문장 벡터</translation>
    </message>
    <message>
        <source>pooled vector</source>
        <translation>풀링 벡터</translation>
    </message>
    <message>
        <source>cosine of A and B</source>
        <translation>A와 B의 코사인</translation>
    </message>
    <message>
        <source>predicted piece</source>
        <translation>예측할 토큰 조각</translation>
    </message>
    <message>
        <source>class</source>
        <translation>클래스</translation>
    </message>
    <message>
        <source>masked tokens</source>
        <translation>가린 토큰</translation>
    </message>
    <message>
        <source>each token</source>
        <translation>모든 토큰</translation>
    </message>
    <message>
        <source>mean of each text</source>
        <translation>글마다의 평균</translation>
    </message>
    <message>
        <source>debiased</source>
        <translation>편향 없앰</translation>
    </message>
    <message>
        <source>biased</source>
        <translation>편향 있음</translation>
    </message>
    <message>
        <source>next sentence</source>
        <translation>다음 문장</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>0</translation>
    </message>
    <message>
        <source>its mean</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>equal weights</source>
        <translation>같은 가중치</translation>
    </message>
    <message>
        <source>a head</source>
        <translation>헤드 하나</translation>
    </message>
    <message>
        <source>the state of a token</source>
        <translation>토큰 하나의 은닉 상태</translation>
    </message>
    <message>
        <source>first word</source>
        <translation>첫 단어</translation>
    </message>
    <message>
        <source>last word</source>
        <translation>마지막 단어</translation>
    </message>
    <message>
        <source>who looks most at the dependent</source>
        <translation>의존어를 가장 많이 보는 단어</translation>
    </message>
    <message>
        <source>what the head looks at most</source>
        <translation>지배소가 가장 많이 보는 단어</translation>
    </message>
    <message>
        <source>as the checkpoint says</source>
        <translation>체크포인트가 정한 대로</translation>
    </message>
    <message>
        <source>mean of all tokens</source>
        <translation>모든 토큰의 평균</translation>
    </message>
    <message>
        <source>mean without special tokens</source>
        <translation>특수 토큰을 뺀 평균</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰</translation>
    </message>
    <message>
        <source>last layer</source>
        <translation>마지막 레이어</translation>
    </message>
    <message>
        <source>sum of the last four</source>
        <translation>마지막 네 레이어의 합</translation>
    </message>
    <message>
        <source>the outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>queries of receivers</source>
        <translation>받는 헤드의 쿼리</translation>
    </message>
    <message>
        <source>keys of receivers</source>
        <translation>받는 헤드의 키</translation>
    </message>
    <message>
        <source>values of receivers</source>
        <translation>받는 헤드의 값</translation>
    </message>
    <message>
        <source>all that receivers read</source>
        <translation>받는 헤드가 읽는 모두</translation>
    </message>
    <message>
        <source>computed anew</source>
        <translation>새로 계산</translation>
    </message>
    <message>
        <source>as in run A</source>
        <translation>실행 A와 같게</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>앞 토큰</translation>
    </message>
    <message>
        <source>next token</source>
        <translation>다음 토큰</translation>
    </message>
    <message>
        <source>the same token</source>
        <translation>같은 토큰</translation>
    </message>
    <message>
        <source>the same word</source>
        <translation>같은 단어</translation>
    </message>
    <message>
        <source>other special tokens</source>
        <translation>다른 특수 토큰</translation>
    </message>
</context>
<context>
    <name>OtherModelPicker</name>
    <message>
        <source>Open a folder …</source>
        <translation>폴더 열기 …</translation>
    </message>
    <message>
        <source>Open a file of weights …</source>
        <translation>가중치 파일 열기 …</translation>
    </message>
    <message>
        <source>From the hub …</source>
        <translation>허브에서 …</translation>
    </message>
    <message>
        <source>same checkpoint as run A</source>
        <translation>실행 A와 같은 체크포인트</translation>
    </message>
</context>
<context>
    <name>OutcomeView</name>
    <message>
        <source>Drag a cell along its layer: that state of B is put into A and stays.</source>
        <translation>칸을 같은 레이어에서 끌어다 놓으면 B의 그 상태가 A에 들어가 남습니다.</translation>
    </message>
</context>
<context>
    <name>OverviewCard</name>
    <message>
        <source>Overview</source>
        <translation>한눈에 보기</translation>
    </message>
    <message>
        <source>Per head</source>
        <translation>헤드별</translation>
    </message>
    <message>
        <source>Each head by its largest weight in runs A and B (S)</source>
        <translation>헤드마다 실행 A와 B의 가장 큰 가중치를 기준으로 칠합니다 (S)</translation>
    </message>
    <message>
        <source>All heads on one scale from 0 to 1 (S)</source>
        <translation>모든 헤드를 0에서 1까지 하나의 척도로 칠합니다 (S)</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>공통</translation>
    </message>
    <message>
        <source>What each cell shows (Shift+S goes through them)</source>
        <translation>칸마다 보일 것 (Shift+S로 넘깁니다)</translation>
    </message>
    <message>
        <source>The order of the cells</source>
        <translation>칸의 순서</translation>
    </message>
    <message>
        <source>Show how much weight every head gives this pair, or what was shown before (Shift+P)</source>
        <translation>이 쌍의 가중치를 모든 헤드에 표시하거나 이전 표시로 되돌리기 (Shift+P)</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>노름</translation>
    </message>
    <message>
        <source>Weight of {0} in every head</source>
        <translation>모든 헤드의 {0} 가중치</translation>
    </message>
    <message>
        <source>layers down, heads across</source>
        <translation>세로 레이어, 가로 헤드</translation>
    </message>
    <message>
        <source>layer·head, largest first</source>
        <translation>레이어·헤드, 큰 것부터</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>어텐션</translation>
    </message>
    <message>
        <source>Cells show: {0}</source>
        <translation>칸: {0}</translation>
    </message>
    <message>
        <source>by layer and head</source>
        <translation>레이어와 헤드순</translation>
    </message>
    <message>
        <source>Layer · head</source>
        <translation>레이어 · 헤드</translation>
    </message>
    <message>
        <source>Order: {0}</source>
        <translation>순서: {0}</translation>
    </message>
</context>
<context>
    <name>OverviewView</name>
    <message>
        <source>Overview of all heads</source>
        <translation>모든 헤드 한눈에 보기</translation>
    </message>
    <message>
        <source>the largest norm of each cell</source>
        <translation>각 칸의 가장 큰 노름</translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation>레이어 {0} · 헤드 {1}</translation>
    </message>
    <message>
        <source>Layer {0}, all heads together</source>
        <translation>레이어 {0}, 모든 헤드를 합함</translation>
    </message>
    <message>
        <source>muted: its output is zero</source>
        <translation>끈 헤드: 출력이 0입니다</translation>
    </message>
    <message>
        <source>The picture is of {0} of {1} queries; the numbers follow.</source>
        <translation>그림은 쿼리 {1}개 중 {0}개로 그린 것이며, 수치는 계산되는 대로 나타납니다.</translation>
    </message>
    <message>
        <source>the other tokens, mean</source>
        <translation>다른 토큰들의 평균</translation>
    </message>
    <message>
        <source>each head&apos;s largest, {0} or more</source>
        <translation>헤드마다 가장 큰 값, {0} 이상</translation>
    </message>
</context>
<context>
    <name>OwnLessons</name>
    <message>
        <source>The folder has more files than the {0} that are read: the last {1} by name are left out.</source>
        <translation>폴더에 파일이 많아 이름순으로 {0}개까지만 읽습니다. 나머지 {1}개는 목록에 없습니다.</translation>
    </message>
</context>
<context>
    <name>OwnSentence</name>
    <message>
        <source>The model is still being opened. Your sentence is drawn as soon as it is there.</source>
        <translation>모델을 아직 여는 중입니다. 다 열리면 문장을 바로 그립니다.</translation>
    </message>
    <message>
        <source>So long a text is drawn inside: press Enter.</source>
        <translation>이렇게 긴 글은 안에서 그립니다. Enter를 누르세요.</translation>
    </message>
    <message>
        <source>Opened on layer {0}, head {1}: there {2} looks at {3} as no other word does.</source>
        <translation>레이어 {0}, 헤드 {1}에서 열었습니다. 이 헤드에서 {2} 토큰은 다른 어떤 단어보다 뚜렷하게 {3} 쪽을 봅니다.</translation>
    </message>
</context>
<context>
    <name>PaddingPicture</name>
    <message>
        <source>Use the mask: no token looks at [PAD]</source>
        <translation>마스크 쓰기: 어떤 토큰도 [PAD]를 보지 않습니다</translation>
    </message>
    <message>
        <source>Read alone: what “{0}” looks at</source>
        <translation>혼자 읽을 때 ‘{0}’의 어텐션</translation>
    </message>
    <message>
        <source>In the batch (broken line: alone)</source>
        <translation>배치에서 읽을 때 (점선: 혼자)</translation>
    </message>
    <message>
        <source>The weights on [PAD] are 0, and the others are those of the text alone. After all layers no number differs by more than {0}: that is rounding.</source>
        <translation>[PAD]의 가중치는 0이고 나머지는 혼자 읽을 때와 같습니다. 모든 레이어를 지난 뒤에도 차이는 많아야 {0}입니다. 반올림 오차입니다.</translation>
    </message>
    <message>
        <source>Without the mask “{0}” puts {1} of its attention on [PAD], so less is left for the words. After all layers numbers differ by up to {2}: the text would mean something else beside another text.</source>
        <translation>마스크가 없으면 ‘{0}’의 어텐션 가운데 {1}가 [PAD]로 가고, 단어에는 그만큼 덜 남습니다. 모든 레이어를 지나면 수의 차이가 {2}에 이릅니다. 같은 글이 다른 글 옆에 있다고 뜻이 달라지는 셈입니다.</translation>
    </message>
</context>
<context>
    <name>Page</name>
    <message>
        <source>embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>projected (ColBERT)</source>
        <translation>투영한 벡터(ColBERT)</translation>
    </message>
    <message>
        <source>after layer {0}</source>
        <translation>레이어 {0} 출력</translation>
    </message>
</context>
<context>
    <name>PairHeadsView</name>
    <message>
        <source>Why?</source>
        <translation>왜?</translation>
    </message>
    <message>
        <source>Why this weight? By dimension, competitors, positions, earlier heads (Shift+Y)</source>
        <translation>왜 이 가중치일까요? 차원, 경쟁하는 키, 위치, 앞선 헤드 (Shift+Y)</translation>
    </message>
    <message>
        <source>Why this weight?</source>
        <translation>왜 이 가중치일까요?</translation>
    </message>
    <message>
        <source>Most in</source>
        <translation>상위</translation>
    </message>
    <message>
        <source>{0}: most weight in these heads</source>
        <translation>{0}: 가중치가 큰 헤드</translation>
    </message>
    <message>
        <source>Click a pair to see its strongest heads.</source>
        <translation>토큰 쌍을 클릭하면 강한 헤드가 보입니다.</translation>
    </message>
    <message>
        <source>{0}: the heads with most weight above what the other tokens put there</source>
        <translation>{0}: 다른 토큰들의 평균보다 가중치가 가장 많이 큰 헤드</translation>
    </message>
    <message>
        <source>Stands out in</source>
        <translation>두드러진 곳</translation>
    </message>
    <message>
        <source>{0}: weight {1} in layer {2}, head {3}. Click: show that head</source>
        <translation>{0}: 레이어 {2}, 헤드 {3}의 가중치 {1}. 클릭하면 그 헤드를 봅니다</translation>
    </message>
    <message>
        <source>{0}: norm {1} in layer {2}, head {3}. Click: show that head</source>
        <translation>{0}: 레이어 {2}, 헤드 {3}의 노름 {1}. 클릭하면 그 헤드를 봅니다</translation>
    </message>
    <message>
        <source>{0}: weight {1} in layer {2}, head {3}; the other tokens put {4} there on average. Click: show that head</source>
        <translation>{0}: 레이어 {2}, 헤드 {3}의 가중치 {1}, 다른 토큰들은 평균 {4}. 클릭하면 그 헤드를 봅니다</translation>
    </message>
</context>
<context>
    <name>Pairs</name>
    <message>
        <source>In this head, “{0}” puts {1} of its attention on itself.</source>
        <translation>이 헤드에서 ‘{0}’의 어텐션 가운데 {1}가 자기 자신으로 갑니다.</translation>
    </message>
    <message>
        <source>In this head, “{0}” puts {1} of its attention on “{2}”.</source>
        <translation>이 헤드에서 ‘{0}’의 어텐션 가운데 {1}가 ‘{2}’ 쪽으로 갑니다.</translation>
    </message>
    <message>
        <source>“{0}”</source>
        <translation>‘{0}’</translation>
    </message>
    <message>
        <source>“{0}” of “{1}”</source>
        <translation>‘{1}’의 ‘{0}’</translation>
    </message>
    <message>
        <source>The other tokens put {0} there on average.</source>
        <translation>다른 토큰들은 그곳에 평균 {0}를 둡니다.</translation>
    </message>
    <message>
        <source>Of what “{0}” takes from all tokens, {1} comes from “{2}”.</source>
        <translation>‘{0}’ 토큰이 모든 토큰에서 가져오는 것 가운데 {1}가 ‘{2}’에서 옵니다.</translation>
    </message>
    <message>
        <source>What “{0}” takes from “{2}” in this head is a vector {1} long.</source>
        <translation>이 헤드에서 ‘{0}’ 토큰이 ‘{2}’에서 가져오는 것은 길이 {1}의 벡터입니다.</translation>
    </message>
    <message>
        <source>What “{0}” has from “{2}” after this layer is a vector {1} long.</source>
        <translation>이 레이어가 끝났을 때 ‘{0}’ 토큰 안에서 ‘{2}’에서 온 것은 길이 {1}의 벡터입니다.</translation>
    </message>
</context>
<context>
    <name>PanelCard</name>
    <message>
        <source>What draws this was left out of the program.</source>
        <translation>이 보기를 그리는 부분이 프로그램에서 빠져 있습니다.</translation>
    </message>
    <message>
        <source>Run A: the text above</source>
        <translation>실행 A: 위의 문장</translation>
    </message>
    <message>
        <source>Run B: what it is compared with</source>
        <translation>실행 B: 비교 대상</translation>
    </message>
    <message>
        <source>The difference of both runs</source>
        <translation>두 실행의 차이</translation>
    </message>
    <message>
        <source>Options of the drawing, for all panels (O)</source>
        <translation>모든 패널의 그리기 옵션 (O)</translation>
    </message>
    <message>
        <source>Options of the drawing</source>
        <translation>그리기 옵션</translation>
    </message>
    <message>
        <source>Close this panel (Ctrl+W)</source>
        <translation>이 패널 닫기 (Ctrl+W)</translation>
    </message>
    <message>
        <source>Close this panel</source>
        <translation>이 패널 닫기</translation>
    </message>
    <message>
        <source>Computing: {0} …</source>
        <translation>계산하는 중: {0} …</translation>
    </message>
    <message>
        <source>Layer {0} · {1} heads</source>
        <translation>레이어 {0} · 헤드 {1}개</translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation>레이어 {0} · 헤드 {1}</translation>
    </message>
    <message>
        <source>rows: run {0}, columns: run {1}</source>
        <translation>행은 실행 {0}, 열은 실행 {1}</translation>
    </message>
    <message>
        <source>Layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>Run {0} has only {1} layers with {2} heads.</source>
        <translation>실행 {0}에는 헤드가 {2}개씩인 레이어 {1}개만 있습니다.</translation>
    </message>
    <message>
        <source>Run A and run B have only {1} layers with {2} heads in common.</source>
        <translation>실행 A와 B가 함께 가진 것은 헤드가 {2}개씩인 레이어 {1}개뿐입니다.</translation>
    </message>
    <message>
        <source>Cancelled. Choose the analysis again to have it computed.</source>
        <translation>취소했습니다. 분석을 다시 선택하면 계산합니다.</translation>
    </message>
    <message>
        <source>Cancelled. Choose the head again to have it computed.</source>
        <translation>취소했습니다. 헤드를 다시 선택하면 계산합니다.</translation>
    </message>
    <message>
        <source>This could not be computed.</source>
        <translation>계산하지 못했습니다.</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>옵션</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>어텐션</translation>
    </message>
</context>
<context>
    <name>PanelMenu</name>
    <message>
        <source>Set the weight {0} → {1} …</source>
        <translation>{0} → {1} 가중치 정하기 …</translation>
    </message>
    <message>
        <source>Weight with which {0} attends to {1} in head {2}·{3}, from 0 to 1.
The other weights of the row keep their proportions; the row still adds up to 1.</source>
        <translation>헤드 {2}·{3}의 {0} → {1} 가중치(0부터 1까지).
행의 다른 가중치는 비율을 지키고, 행의 합은 그대로 1입니다.</translation>
    </message>
    <message>
        <source>Set this weight</source>
        <translation>가중치 정하기</translation>
    </message>
    <message>
        <source>Run {0}</source>
        <translation>실행 {0}</translation>
    </message>
</context>
<context>
    <name>PanelOptions</name>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>Every layer side by side</source>
        <translation>모든 레이어를 나란히</translation>
    </message>
    <message>
        <source>The words once for each layer, with the mean of the weights of its heads</source>
        <translation>레이어마다 단어를 한 번씩 그리고, 그 헤드들의 가중치 평균을 보여 줍니다</translation>
    </message>
    <message>
        <source>All</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Which sentence&apos;s queries look at which sentence&apos;s keys</source>
        <translation>어느 문장의 쿼리가 어느 문장의 키를 보는지 고릅니다</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Join the pieces of words</source>
        <translation>단어의 조각 합치기</translation>
    </message>
    <message>
        <source>A word&apos;s weight: the mean over its query pieces of the sum over its key pieces</source>
        <translation>단어의 가중치: 키 조각은 더하고 쿼리 조각은 평균합니다</translation>
    </message>
    <message>
        <source>Hide special tokens</source>
        <translation>특수 토큰 숨기기</translation>
    </message>
    <message>
        <source>Leave out what the tokenizer puts around the texts; the rows no longer add up to 1</source>
        <translation>토크나이저가 글 앞뒤에 붙이는 토큰을 뺍니다. 행의 합이 더는 1이 아닙니다</translation>
    </message>
    <message>
        <source>Hide punctuation</source>
        <translation>문장 부호 숨기기</translation>
    </message>
    <message>
        <source>Leave out . , ! ? and the like</source>
        <translation>. , ! ? 등을 뺍니다</translation>
    </message>
    <message>
        <source>Rescale each row to add up to 1</source>
        <translation>각 행의 합을 1로 맞추기</translation>
    </message>
    <message>
        <source>Divide the remaining weights of a row by their sum</source>
        <translation>남은 가중치를 그 합으로 나눕니다</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>연결선</translation>
    </message>
    <message>
        <source>Write the weights of the strongest lines</source>
        <translation>강한 선의 가중치 쓰기</translation>
    </message>
    <message>
        <source>On up to 16 lines</source>
        <translation>선 16개까지 씁니다</translation>
    </message>
    <message>
        <source>To heads</source>
        <translation>지배소로</translation>
    </message>
    <message>
        <source>Broken lines from each word to its head</source>
        <translation>단어에서 지배소로 가는 점선</translation>
    </message>
    <message>
        <source>To dependents</source>
        <translation>의존어로</translation>
    </message>
    <message>
        <source>Broken lines from each head to its words</source>
        <translation>지배소에서 의존어로 가는 점선</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>숨기기</translation>
    </message>
    <message>
        <source>The parse of the sentence is not drawn</source>
        <translation>문장의 구문 분석을 그리지 않습니다</translation>
    </message>
    <message>
        <source>Parse</source>
        <translation>구문 분석</translation>
    </message>
    <message>
        <source>Join what stands between spaces</source>
        <translation>띄어쓰기 단위(어절)로 합치기</translation>
    </message>
    <message>
        <source>Words as they are written: eojeol, “can&apos;t”, “3.14”, with their punctuation. The tokenizer&apos;s own words, which the entry above joins, end at signs</source>
        <translation>적힌 그대로의 단어: 어절, “can&apos;t”, “3.14” 따위로, 문장 부호도 붙습니다. 위 항목이 합치는 토크나이저의 단어는 부호에서 끝납니다</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>행렬</translation>
    </message>
    <message>
        <source>Full colour is the head&apos;s largest weight</source>
        <translation>헤드의 최대 가중치가 가장 진한 색입니다</translation>
    </message>
    <message>
        <source>Per head</source>
        <translation>헤드별</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>로그</translation>
    </message>
    <message>
        <source>From 0.0001 to the largest weight, evenly by ratios</source>
        <translation>0.0001부터 최대 가중치까지 비율에 따라 고르게 칠합니다</translation>
    </message>
    <message>
        <source>Per row</source>
        <translation>행별</translation>
    </message>
    <message>
        <source>Full colour is the largest weight of each row</source>
        <translation>각 행의 최대 가중치가 가장 진한 색입니다</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>척도</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Diverging</source>
        <translation>양방향</translation>
    </message>
    <message>
        <source>The middle colour is the weight of uniform attention</source>
        <translation>모든 토큰을 고르게 보는 행의 가중치가 가운데 색입니다</translation>
    </message>
    <message>
        <source>The sum of each query&apos;s weights, and of the weights that each key receives</source>
        <translation>쿼리마다 가중치의 합과, 키마다 받는 가중치의 합입니다</translation>
    </message>
    <message>
        <source>Lines of smaller weights are not drawn</source>
        <translation>이보다 작은 가중치는 선을 그리지 않습니다</translation>
    </message>
    <message>
        <source>Reset all of these options</source>
        <translation>이 옵션을 모두 처음대로 되돌립니다</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>색</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>공통</translation>
    </message>
    <message>
        <source>Full colour: the largest weight in runs A and B, or 5 times uniform attention</source>
        <translation>가장 진한 색: 실행 A와 B에서 가장 큰 가중치, 적어도 균등한 어텐션의 5배</translation>
    </message>
    <message>
        <source>Sums of rows and columns</source>
        <translation>행과 열의 합</translation>
    </message>
    <message>
        <source>Mark the largest weight of each row</source>
        <translation>행마다 최대 가중치 표시</translation>
    </message>
    <message>
        <source>Threshold of the lines</source>
        <translation>선의 문턱값</translation>
    </message>
    <message>
        <source>From weight</source>
        <translation>최소 가중치</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>초기화</translation>
    </message>
    <message>
        <source>for all panels</source>
        <translation>모든 패널에 적용</translation>
    </message>
</context>
<context>
    <name>Parameters</name>
    <message>
        <source>shift</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>배율</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>편향</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>어텐션</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>피드포워드</translation>
    </message>
    <message>
        <source>norms</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>Positions, and after the last layer</source>
        <translation>위치, 마지막 레이어 다음</translation>
    </message>
    <message>
        <source>Pooler</source>
        <translation>풀러</translation>
    </message>
    <message>
        <source>Task heads</source>
        <translation>과제 헤드</translation>
    </message>
    <message>
        <source>Sentence vector</source>
        <translation>문장 벡터</translation>
    </message>
    <message>
        <source>Layer {0} · {1}</source>
        <translation>레이어 {0} · {1}</translation>
    </message>
    <message>
        <source>Layers {0} to {1}, shared · {2}</source>
        <translation>레이어 {0}–{1}, 공유 · {2}</translation>
    </message>
    <message>
        <source>Norm of the embeddings</source>
        <translation>임베딩의 정규화</translation>
    </message>
    <message>
        <source>Projection of the embeddings</source>
        <translation>임베딩의 투영</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>키</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Output of the heads</source>
        <translation>헤드 출력</translation>
    </message>
    <message>
        <source>Queries of distances</source>
        <translation>거리의 쿼리</translation>
    </message>
    <message>
        <source>Keys of distances</source>
        <translation>거리의 키</translation>
    </message>
    <message>
        <source>Token embeddings</source>
        <translation>토큰 임베딩</translation>
    </message>
    <message>
        <source>Feed-forward part {0}, {1}</source>
        <translation>피드포워드 {0}번째, {1}</translation>
    </message>
    <message>
        <source>Segment embeddings</source>
        <translation>세그먼트 임베딩</translation>
    </message>
    <message>
        <source>Position embeddings</source>
        <translation>위치 임베딩</translation>
    </message>
    <message>
        <source>Task embeddings</source>
        <translation>과제 임베딩</translation>
    </message>
    <message>
        <source>Embeddings of distances</source>
        <translation>거리 임베딩</translation>
    </message>
    <message>
        <source>Queries of global tokens</source>
        <translation>전역 토큰의 쿼리</translation>
    </message>
    <message>
        <source>Keys of global tokens</source>
        <translation>전역 토큰의 키</translation>
    </message>
    <message>
        <source>Values of global tokens</source>
        <translation>전역 토큰의 값</translation>
    </message>
    <message>
        <source>Keys of spans, each dimension</source>
        <translation>구간의 키, 차원별</translation>
    </message>
    <message>
        <source>Keys of spans</source>
        <translation>구간의 키</translation>
    </message>
    <message>
        <source>Kernels of the convolutions</source>
        <translation>합성곱의 커널</translation>
    </message>
    <message>
        <source>Input of the convolutions</source>
        <translation>합성곱의 입력</translation>
    </message>
    <message>
        <source>Norm of the attention</source>
        <translation>어텐션의 정규화</translation>
    </message>
    <message>
        <source>Expansion</source>
        <translation>확장 레이어</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>게이트</translation>
    </message>
    <message>
        <source>Contraction</source>
        <translation>축소 레이어</translation>
    </message>
    <message>
        <source>Norm of the feed-forward part</source>
        <translation>피드포워드의 정규화</translation>
    </message>
    <message>
        <source>Projection of token embeddings</source>
        <translation>토큰 임베딩의 투영</translation>
    </message>
    <message>
        <source>Norm of the adapter</source>
        <translation>어댑터의 정규화</translation>
    </message>
    <message>
        <source>Adapter of the language, narrowed</source>
        <translation>언어별 어댑터, 좁히기</translation>
    </message>
    <message>
        <source>Adapter of the language, widened</source>
        <translation>언어별 어댑터, 넓히기</translation>
    </message>
    <message>
        <source>Bottleneck at the beginning</source>
        <translation>앞의 병목</translation>
    </message>
    <message>
        <source>Bottleneck of queries and keys</source>
        <translation>쿼리와 키의 병목</translation>
    </message>
    <message>
        <source>Back to the full width</source>
        <translation>원래 너비로 넓히기</translation>
    </message>
    <message>
        <source>Norm of the output</source>
        <translation>출력의 정규화</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>Dense layer of the pooler</source>
        <translation>풀러의 밀집 레이어</translation>
    </message>
    <message>
        <source>Norm after the last layer</source>
        <translation>마지막 레이어 다음의 정규화</translation>
    </message>
    <message>
        <source>Convolution over neighbours</source>
        <translation>이웃 토큰의 합성곱</translation>
    </message>
    <message>
        <source>Norm of the convolution</source>
        <translation>합성곱의 정규화</translation>
    </message>
    <message>
        <source>Masked tokens, dense layer</source>
        <translation>가린 토큰, 밀집 레이어</translation>
    </message>
    <message>
        <source>Masked tokens, norm</source>
        <translation>가린 토큰, 정규화</translation>
    </message>
    <message>
        <source>Masked tokens, scores of all pieces</source>
        <translation>가린 토큰, 모든 조각의 점수</translation>
    </message>
    <message>
        <source>Next sentence</source>
        <translation>다음 문장</translation>
    </message>
    <message>
        <source>Replaced tokens, dense layer</source>
        <translation>바뀐 토큰, 밀집 레이어</translation>
    </message>
    <message>
        <source>Replaced tokens, output</source>
        <translation>바뀐 토큰, 출력</translation>
    </message>
    <message>
        <source>Classifier, dense layer</source>
        <translation>분류기, 밀집 레이어</translation>
    </message>
    <message>
        <source>Classifier, norm</source>
        <translation>분류기, 정규화</translation>
    </message>
    <message>
        <source>Classifier, output</source>
        <translation>분류기, 출력</translation>
    </message>
    <message>
        <source>Labels of tokens, output</source>
        <translation>토큰 레이블, 출력</translation>
    </message>
    <message>
        <source>Answer, start and end</source>
        <translation>답의 시작과 끝</translation>
    </message>
    <message>
        <source>Biases of distances</source>
        <translation>거리 편향</translation>
    </message>
    <message>
        <source>Frequencies of the rotation</source>
        <translation>회전의 주파수</translation>
    </message>
    <message>
        <source>Labels of tokens</source>
        <translation>토큰 레이블</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>답</translation>
    </message>
    <message>
        <source>Task head</source>
        <translation>과제 헤드</translation>
    </message>
</context>
<context>
    <name>ParametersView</name>
    <message>
        <source>Reading …</source>
        <translation>읽는 중 …</translation>
    </message>
    <message>
        <source>{0} parameters in {1} matrices and vectors – click to show one</source>
        <translation>매개변수 {0}개, 행렬과 벡터 {1}개 – 클릭하면 그림으로 보입니다</translation>
    </message>
    <message>
        <source>from {0} to {1}, 99 of 100 within ±{2}</source>
        <translation>{0}부터 {1}까지, 100개 중 99개는 ±{2} 안</translation>
    </message>
    <message>
        <source>whole text</source>
        <translation>글 전체</translation>
    </message>
    <message>
        <source>Choose run A or run B: a difference of matrices is multiplied by nothing.</source>
        <translation>실행 A나 실행 B를 고르세요. 행렬의 차이에는 곱하는 입력이 없습니다.</translation>
    </message>
    <message>
        <source>This is not the matrix of a linear map: no input is multiplied by its rows.</source>
        <translation>선형 변환의 행렬이 아니므로 입력과 곱하는 행이 없습니다.</translation>
    </message>
    <message>
        <source>row {0}, column {1}</source>
        <translation>{0}행 {1}열</translation>
    </message>
    <message>
        <source>number {0}</source>
        <translation>{0}번</translation>
    </message>
    <message>
        <source>head {0}, dimension {1} of it</source>
        <translation>헤드 {0}, 그 안의 차원 {1}</translation>
    </message>
    <message>
        <source>colour: {0}, the largest of {1} numbers here</source>
        <translation>색: {0}, 이 자리의 수 {1}개 중 가장 큰 값</translation>
    </message>
    <message>
        <source>output</source>
        <translation>출력</translation>
    </message>
    <message>
        <source>Output: row of the matrix</source>
        <translation>출력: 행렬의 행</translation>
    </message>
    <message>
        <source>Input, row of the matrix, products</source>
        <translation>입력, 행렬의 행, 곱</translation>
    </message>
    <message>
        <source>input x</source>
        <translation>입력 x</translation>
    </message>
    <message>
        <source>row of the matrix</source>
        <translation>행렬의 행</translation>
    </message>
    <message>
        <source>products</source>
        <translation>곱</translation>
    </message>
    <message>
        <source>dimension {0}</source>
        <translation>차원 {0}</translation>
    </message>
    <message>
        <source>{0} → output {1}: {2} products add up to {3}</source>
        <translation>{0} → 출력 {1}: 곱 {2}개의 합 {3}</translation>
    </message>
    <message>
        <source>, with the bias {0} to {1}</source>
        <translation>, 편향 {0} 포함 {1}</translation>
    </message>
    <message>
        <source>; in the model {0}</source>
        <translation>; 모델의 값 {0}</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>모양</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>Each number of the input times the one below it is a product; all products and the bias add up to one number. The file has one row of the matrix for each output; this row is a column of W in x · W.</source>
        <translation>입력의 각 수에 바로 아래의 수를 곱한 것이 곱이고, 모든 곱과 편향을 더하면 수 하나가 됩니다. 파일의 행렬은 출력마다 한 행이 있으며, 이 행이 x · W에서 W의 한 열입니다.</translation>
    </message>
    <message>
        <source>max</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>비율</translation>
    </message>
    <message>
        <source>Name in the file</source>
        <translation>파일 속 이름</translation>
    </message>
    <message>
        <source>All</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>All matrices and vectors in a table</source>
        <translation>모든 행렬과 벡터의 표</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>The numbers of one of them in colours</source>
        <translation>한 행렬이나 벡터의 수를 색으로</translation>
    </message>
    <message>
        <source>Row × column</source>
        <translation>행 × 열</translation>
    </message>
    <message>
        <source>How one number comes out of a matrix</source>
        <translation>행렬에서 수 하나가 나오는 과정</translation>
    </message>
    <message>
        <source>What is shown of the parameters</source>
        <translation>매개변수에서 볼 것</translation>
    </message>
    <message>
        <source>Parameters of the checkpoint</source>
        <translation>체크포인트의 매개변수</translation>
    </message>
    <message>
        <source>Numbers of a parameter</source>
        <translation>매개변수의 수</translation>
    </message>
</context>
<context>
    <name>PartsDialog</name>
    <message>
        <source>Which part is which?</source>
        <translation>어느 것이 어느 부분인가요?</translation>
    </message>
    <message>
        <source>Every tensor of the file has a place in the model. {0} stands for the number of a layer. What names and shapes decide is filled in; the rest is in the __init__ and forward of your code.</source>
        <translation>파일의 텐서마다 모델 안에 자리가 있습니다. {0}는 레이어의 번호입니다. 이름과 모양으로 정할 수 있는 것은 채워 두었습니다. 나머지는 코드의 __init__과 forward에 있습니다.</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>텐서</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>모양</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>부분</translation>
    </message>
    <message>
        <source>Compare with an output …</source>
        <translation>출력과 견주기 …</translation>
    </message>
    <message>
        <source>A file that torch.save({&quot;ids&quot;: ids, &quot;output&quot;: model(ids)}) wrote</source>
        <translation>torch.save({&quot;ids&quot;: ids, &quot;output&quot;: model(ids)})가 쓴 파일</translation>
    </message>
    <message>
        <source>Its ids or its text, where the file has no ids</source>
        <translation>파일에 ID가 없으면 출력을 만든 ID나 글</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Which part of the model is each tensor of {0}?</source>
        <translation>{0}의 텐서는 각각 모델의 어느 부분인가요?</translation>
    </message>
    <message>
        <source>Part of {0}</source>
        <translation>{0}의 부분</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>모름</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>고름</translation>
    </message>
    <message>
        <source>a guess</source>
        <translation>짐작</translation>
    </message>
    <message>
        <source>checking …</source>
        <translation>검사하는 중 …</translation>
    </message>
    <message>
        <source>{0} of {1} rows have no part yet.</source>
        <translation>{1}줄 가운데 {0}줄이 아직 어느 부분인지 정해지지 않았습니다.</translation>
    </message>
    <message>
        <source>Still to be answered: {0}</source>
        <translation>아직 답하지 않은 질문: {0}</translation>
    </message>
    <message>
        <source>Every tensor has a place, and a sentence gives finite numbers.</source>
        <translation>모든 텐서에 자리가 있고, 문장 하나를 넣으면 유한한 수가 나옵니다.</translation>
    </message>
    <message>
        <source>The same as {0}, but for rounding: the largest difference is {1}, at token {2}.</source>
        <translation>반올림을 빼면 {0} 파일의 수와 같습니다. 가장 큰 차이는 {1}, 토큰 {2}입니다.</translation>
    </message>
    <message>
        <source>Not the numbers of {0}: the largest difference is {1}, at token {2}.</source>
        <translation>{0}의 수와 다릅니다. 가장 큰 차이는 {1}, 토큰 {2}입니다.</translation>
    </message>
    <message>
        <source>Outputs (*.pt *.pth *.bin);;All files (*)</source>
        <translation>출력 (*.pt *.pth *.bin);;모든 파일 (*)</translation>
    </message>
    <message>
        <source>An output of the model&apos;s own code</source>
        <translation>모델을 짠 코드의 출력</translation>
    </message>
    <message>
        <source>choose …</source>
        <translation>고르세요 …</translation>
    </message>
</context>
<context>
    <name>PartsQuestion</name>
    <message>
        <source>Show the tensors …</source>
        <translation>텐서 보기 …</translation>
    </message>
</context>
<context>
    <name>PatchesView</name>
    <message>
        <source>Attention over the patches of an image</source>
        <translation>이미지 패치 위의 어텐션</translation>
    </message>
    <message>
        <source>The two runs do not have the same patches.</source>
        <translation>두 실행의 패치가 서로 다릅니다.</translation>
    </message>
    <message>
        <source>What {0} looks at</source>
        <translation>‘{0}’의 행: 보는 패치</translation>
    </message>
    <message>
        <source>What looks at {0}</source>
        <translation>‘{0}’의 열: 이 패치를 보는 토큰</translation>
    </message>
    <message>
        <source>What all tokens look at, on average</source>
        <translation>모든 토큰이 보는 곳의 평균</translation>
    </message>
    <message>
        <source>The stronger the colour of a patch, the more the token looks at it.</source>
        <translation>패치의 색이 진할수록 토큰이 그 패치를 더 봅니다.</translation>
    </message>
</context>
<context>
    <name>PickedRowPlot</name>
    <message>
        <source>“{0}” picks row {1} of {2}</source>
        <translation>‘{0}’ 토큰은 {2}행 가운데 {1}행을 고릅니다</translation>
    </message>
    <message>
        <source>{0} more rows</source>
        <translation>{0}행 더</translation>
    </message>
    <message>
        <source>token table</source>
        <translation>토큰 표</translation>
    </message>
    <message>
        <source>segment table</source>
        <translation>세그먼트 표</translation>
    </message>
    <message>
        <source>position table</source>
        <translation>위치 표</translation>
    </message>
</context>
<context>
    <name>PictureBars</name>
    <message>
        <source>Copy the numbers</source>
        <translation>수치 복사</translation>
    </message>
</context>
<context>
    <name>PictureCells</name>
    <message>
        <source>{0}: {1} down, {2} across</source>
        <translation>{0}: 세로는 {1}, 가로는 {2}</translation>
    </message>
    <message>
        <source>Layer {0}: “{1}” of B into “{2}” of A</source>
        <translation>레이어 {0}: A의 “{2}” 자리에 B의 “{1}”</translation>
    </message>
    <message>
        <source>Shaded: what it can reach. Let go to put it in; Interventions takes it out again.</source>
        <translation>칠한 칸: 영향이 닿을 수 있는 곳. 놓으면 넣어지고, 개입에서 다시 뺄 수 있습니다.</translation>
    </message>
    <message>
        <source>Put the state of “{0}” after layer {1} of B into A</source>
        <translation>B의 “{0}”의 레이어 {1} 뒤 상태를 A에 넣기</translation>
    </message>
</context>
<context>
    <name>PicturePoints</name>
    <message>
        <source>across: {0} · up: {1}</source>
        <translation>가로: {0} · 세로: {1}</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Texts</source>
        <translation>글</translation>
    </message>
    <message>
        <source>The result has no numbers for this text</source>
        <translation>이 글에서는 결과에 숫자가 없습니다</translation>
    </message>
    <message>
        <source>all texts</source>
        <translation>모든 글</translation>
    </message>
    <message>
        <source>Line {0}: {1}</source>
        <translation>{0}번째 줄: {1}</translation>
    </message>
    <message>
        <source>{0}, the first {1} of them</source>
        <translation>{0}, 처음 {1}개만</translation>
    </message>
    <message>
        <source>{0}: {1}</source>
        <translation>{0}: {1}</translation>
    </message>
    <message>
        <source>list all texts</source>
        <translation>모든 글 보기</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>compared with {0}</source>
        <translation>비교 대상 {0}</translation>
    </message>
    <message>
        <source>{0} {1} (rule of this program)</source>
        <translation>{0} {1} (이 프로그램의 규칙)</translation>
    </message>
    <message>
        <source> ({0} to {1})</source>
        <translation> ({0}~{1})</translation>
    </message>
    <message>
        <source>, no more than rounding</source>
        <translation>, 반올림 오차 이하</translation>
    </message>
</context>
<context>
    <name>PlotMenu</name>
    <message>
        <source>Numbers as CSV …</source>
        <translation>수치를 CSV로 저장 …</translation>
    </message>
    <message>
        <source>The whole picture</source>
        <translation>그림 전체</translation>
    </message>
    <message>
        <source>Its numbers</source>
        <translation>그림의 수치</translation>
    </message>
</context>
<context>
    <name>PoolerPicture</name>
    <message>
        <source>tanh: across what goes in, upwards what comes out</source>
        <translation>tanh: 가로는 들어가는 값, 세로는 나오는 값</translation>
    </message>
    <message>
        <source>The vectors after the last layer, and the one that is taken</source>
        <translation>마지막 레이어 다음의 벡터들과 꺼낸 하나</translation>
    </message>
    <message>
        <source>After the last layer: {0} vectors of {1} numbers</source>
        <translation>마지막 레이어 다음: 수 {1}개로 된 벡터 {0}개</translation>
    </message>
    <message>
        <source>After the last layer: the {1} numbers of {0}</source>
        <translation>마지막 레이어 다음: {0}의 수 {1}개</translation>
    </message>
    <message>
        <source>The number that comes nearest to an end is {0} away from it.</source>
        <translation>끝에 가장 가까운 수는 끝에서 {0}만큼 떨어져 있습니다.</translation>
    </message>
    <message>
        <source>pooled</source>
        <translation>풀링 벡터</translation>
    </message>
    <message>
        <source>This model does not judge whether a second sentence follows.</source>
        <translation>이 모델은 둘째 문장이 이어지는지 판단하지 않습니다.</translation>
    </message>
    <message>
        <source>Add a second sentence: does the model think that it follows the first?</source>
        <translation>둘째 문장을 더해 보세요. 모델은 그 문장이 첫째 문장에 이어진다고 봅니까?</translation>
    </message>
    <message>
        <source>Read from it: the second sentence …</source>
        <translation>여기서 읽은 답: 둘째 문장이 …</translation>
    </message>
</context>
<context>
    <name>Predictions</name>
    <message>
        <source>Weights alone: there is no model that predicts.</source>
        <translation>가중치뿐이어서 예측할 모델이 없습니다.</translation>
    </message>
    <message>
        <source>A saved trace: encode its text to see predictions.</source>
        <translation>저장된 기록입니다. 문장을 인코딩하면 예측이 보입니다.</translation>
    </message>
    <message>
        <source>No task head: nothing is predicted.</source>
        <translation>과제 헤드가 없어 예측하지 않습니다.</translation>
    </message>
    <message>
        <source>Click a token to see which pieces are expected there.</source>
        <translation>토큰을 클릭하면 그 자리에 예상되는 조각이 보입니다.</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>마스크함</translation>
    </message>
    <message>
        <source>not masked</source>
        <translation>마스크 안 함</translation>
    </message>
    <message>
        <source>original “{1}”: rank {0}</source>
        <translation>원래 단어 ‘{1}’: {0}위</translation>
    </message>
    <message>
        <source>Add sentence 2 to see whether the model thinks that it follows.</source>
        <translation>문장 2를 더하면 모델이 이어지는 문장으로 보는지 알 수 있습니다.</translation>
    </message>
    <message>
        <source>Sentence 2 follows 1</source>
        <translation>문장 2가 문장 1에 이어짐</translation>
    </message>
    <message>
        <source>Sentences 1 and 2 in order</source>
        <translation>문장 1, 2의 순서가 맞음</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>클래스</translation>
    </message>
    <message>
        <source>one of {0}</source>
        <translation>{0}개 중 하나</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>클래스</translation>
    </message>
    <message>
        <source>each by itself</source>
        <translation>서로 독립</translation>
    </message>
    <message>
        <source>Predicted number</source>
        <translation>예측한 수</translation>
    </message>
    <message>
        <source>Replaced tokens</source>
        <translation>바뀐 토큰</translation>
    </message>
    <message>
        <source>likeliest first</source>
        <translation>확률 높은 순</translation>
    </message>
    <message>
        <source>likeliest of each</source>
        <translation>토큰마다 확률이 가장 높은 것</translation>
    </message>
    <message>
        <source>tokens {0} to {1} of {2}</source>
        <translation>토큰 {0}–{1} / {2}</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>레이블</translation>
    </message>
    <message>
        <source>The question in 1, its text in 2: add sentence 2</source>
        <translation>질문은 문장 1, 지문은 문장 2: 문장 2를 추가하세요</translation>
    </message>
    <message>
        <source>none: {0}</source>
        <translation>답 없음: {0}</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>답</translation>
    </message>
    <message>
        <source>tokens {0} to {1}</source>
        <translation>토큰 {0}–{1}</translation>
    </message>
</context>
<context>
    <name>PredictionsSection</name>
    <message>
        <source>Open bert-mini-en-ko</source>
        <translation>bert-mini-en-ko 열기</translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>What the checkpoint&apos;s task heads predict: open or close</source>
        <translation>체크포인트의 과제 헤드가 예측하는 것: 열기/닫기</translation>
    </message>
    <message>
        <source>Predictions: open or close</source>
        <translation>예측: 열기/닫기</translation>
    </message>
    <message>
        <source>Open the checkpoint of this program that predicts masked tokens</source>
        <translation>이 프로그램에 들어 있는, 가린 토큰을 예측하는 체크포인트를 엽니다</translation>
    </message>
    <message>
        <source>As written</source>
        <translation>원래대로</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>마스크</translation>
    </message>
    <message>
        <source>Undo the edit of the pinned token</source>
        <translation>고정한 토큰을 원래대로 되돌립니다</translation>
    </message>
    <message>
        <source>Mask the pinned token, and show what is expected in its place</source>
        <translation>고정한 토큰을 마스크하고 그 자리에 예상되는 조각 보기</translation>
    </message>
</context>
<context>
    <name>PredictionsView</name>
    <message>
        <source>Predictions for run {0}</source>
        <translation>실행 {0}의 예측</translation>
    </message>
    <message>
        <source>Click: put it there</source>
        <translation>클릭: 이 자리에 넣기</translation>
    </message>
    <message>
        <source>Click: pin this token</source>
        <translation>클릭: 이 토큰 고정</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <source>Preferences</source>
        <translation>환경 설정</translation>
    </message>
    <message>
        <source>System</source>
        <translation>시스템 설정</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Restore the last session</source>
        <translation>마지막에 보던 것 열기</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Open it on its most specific pair of words</source>
        <translation>다른 단어와 가장 뚜렷이 다르게 보는 단어 쌍에서 시작</translation>
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
        <source>Motion</source>
        <translation>움직임</translation>
    </message>
    <message>
        <source>Device at the start</source>
        <translation>시작할 때 장치</translation>
    </message>
    <message>
        <source>Memory for open checkpoints</source>
        <translation>열린 체크포인트의 메모리 한도</translation>
    </message>
    <message>
        <source>A sentence of your own</source>
        <translation>내가 쓴 문장</translation>
    </message>
    <message>
        <source>Number of recent texts and files</source>
        <translation>기억할 최근 문장과 파일</translation>
    </message>
    <message>
        <source>Own lessons</source>
        <translation>내 수업</translation>
    </message>
    <message>
        <source>Error log</source>
        <translation>오류 기록</translation>
    </message>
    <message>
        <source>At the start</source>
        <translation>시작할 때</translation>
    </message>
</context>
<context>
    <name>PretrainingFields</name>
    <message>
        <source>Training text</source>
        <translation>학습할 글</translation>
    </message>
    <message>
        <source>Size of the model</source>
        <translation>모델 크기</translation>
    </message>
    <message>
        <source>Ends after</source>
        <translation>끝나는 때</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>레이어</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>너비</translation>
    </message>
    <message>
        <source>Pieces</source>
        <translation>조각</translation>
    </message>
    <message>
        <source>Add files …</source>
        <translation>파일 추가 …</translation>
    </message>
    <message>
        <source>or drop them here</source>
        <translation>또는 여기에 놓으세요</translation>
    </message>
    <message>
        <source>Train a checkpoint further</source>
        <translation>체크포인트를 이어서 학습</translation>
    </message>
    <message>
        <source>Start from the weights and the vocabulary of a checkpoint instead of random weights</source>
        <translation>무작위 가중치 대신 체크포인트의 가중치와 어휘에서 시작합니다</translation>
    </message>
    <message>
        <source>Small</source>
        <translation>작게</translation>
    </message>
    <message>
        <source>First patterns within two minutes</source>
        <translation>2분 안에 첫 무늬가 보입니다</translation>
    </message>
    <message>
        <source>Like the bundled model</source>
        <translation>내장 모델처럼</translation>
    </message>
    <message>
        <source>As large as the bundled model: takes hours</source>
        <translation>내장 모델만큼 큽니다. 몇 시간이 걸립니다</translation>
    </message>
    <message>
        <source>Own</source>
        <translation>직접</translation>
    </message>
    <message>
        <source>Choose the sizes yourself</source>
        <translation>크기를 직접 정합니다</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>분</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Its sizes and its vocabulary, {0} tokens a step</source>
        <translation>크기와 어휘는 체크포인트와 같음, 스텝마다 토큰 {0}개</translation>
    </message>
    <message>
        <source>{0} layers × {1} heads, width {2}, {3} pieces at most, {4} tokens a step</source>
        <translation>레이어 {0}개 × 헤드 {1}개, 너비 {2}, 조각 최대 {3}개, 스텝마다 토큰 {4}개</translation>
    </message>
</context>
<context>
    <name>ProblemNotice</name>
    <message>
        <source>Use the CPU</source>
        <translation>CPU 쓰기</translation>
    </message>
    <message>
        <source>Choose another</source>
        <translation>다른 것 고르기</translation>
    </message>
    <message>
        <source>Take them out</source>
        <translation>빼기</translation>
    </message>
</context>
<context>
    <name>ProductPicture</name>
    <message>
        <source>A vector times the columns of a matrix. Arrows choose a column</source>
        <translation>벡터와 행렬의 열들의 곱. 화살표 키로 열을 고릅니다</translation>
    </message>
    <message>
        <source>“{0}”: number {1} of its query</source>
        <translation>‘{0}’: 쿼리의 {1}번 수</translation>
    </message>
    <message>
        <source>and {0} more products: {1}</source>
        <translation>그 밖의 곱 {0}개: {1}</translation>
    </message>
    <message>
        <source>bias b: {0}</source>
        <translation>편향 b: {0}</translation>
    </message>
</context>
<context>
    <name>PromptButton</name>
    <message>
        <source>Prompt</source>
        <translation>프롬프트</translation>
    </message>
    <message>
        <source>Prompt: {0}</source>
        <translation>프롬프트: {0}</translation>
    </message>
    <message>
        <source>Texts that the checkpoint&apos;s authors put before a sentence; none is added unless you choose it</source>
        <translation>체크포인트를 만든 사람들이 문장 앞에 붙이는 글입니다. 고르지 않으면 붙이지 않습니다</translation>
    </message>
    <message>
        <source>No prompt</source>
        <translation>프롬프트 없음</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>찾는 위치(&amp;L):</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>파일 형식(&amp;T):</translation>
    </message>
</context>
<context>
    <name>Quantities</name>
    <message>
        <source>weight</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>length</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>share of the norms</source>
        <translation>노름의 비율</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>비트</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>value</source>
        <translation>값</translation>
    </message>
</context>
<context>
    <name>QuestionPrompt</name>
    <message>
        <source>This checkpoint&apos;s files say all that must be known: there is nothing to answer.</source>
        <translation>이 체크포인트의 파일에 필요한 것이 다 적혀 있어 답할 것이 없습니다.</translation>
    </message>
    <message>
        <source>No checkpoint is open: this one leaves something open that must be answered.</source>
        <translation>열린 체크포인트가 없습니다. 이 체크포인트는 먼저 답해야 할 것이 있습니다.</translation>
    </message>
    <message>
        <source>Answer …</source>
        <translation>답하기 …</translation>
    </message>
</context>
<context>
    <name>QuestionRows</name>
    <message>
        <source>Question</source>
        <translation>과제</translation>
    </message>
    <message>
        <source>Asks for</source>
        <translation>내용</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
</context>
<context>
    <name>RecentsRow</name>
    <message>
        <source>Clear</source>
        <translation>모두 지우기</translation>
    </message>
</context>
<context>
    <name>RecordedRunView</name>
    <message>
        <source>The bundled model learnt from {0} film reviews, {1} times each, whether they praise. On reviews that it had not seen it was right on {2}; always the same answer would be right on {3}.</source>
        <translation>함께 온 모델이 영화평 {0}개를 {1}번씩 읽고 칭찬인지 아닌지를 배웠습니다. 처음 보는 영화평에서는 {2}를 맞혔습니다. 늘 같은 답만 했다면 {3}를 맞혔을 것입니다.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Accuracy on the reviews of the step</source>
        <translation>그 스텝의 영화평에 대한 정확도</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
</context>
<context>
    <name>RemarksButton</name>
    <message>
        <source>Remarks: {0}</source>
        <translation>알림 {0}개</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Add my text</source>
        <translation>내가 입력한 글 덧붙이기</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Save …</source>
        <translation>저장 …</translation>
    </message>
    <message>
        <source>Report of a problem</source>
        <translation>문제 보고서</translation>
    </message>
    <message>
        <source>Nothing is sent anywhere. Read the report, change what you like, and give it to whoever helps you. What you typed is not in it.</source>
        <translation>어디로도 전송되지 않습니다. 보고서를 읽고 마음대로 고친 뒤 도와줄 사람에게 건네세요. 입력한 글은 들어 있지 않습니다.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
    </message>
</context>
<context>
    <name>ResidualPicture</name>
    <message>
        <source>Vectors as strips, and the length of each</source>
        <translation>벡터의 띠와 길이</translation>
    </message>
    <message>
        <source>“{0}” in layer {1}: the output of the attention is added to what came in</source>
        <translation>레이어 {1}의 ‘{0}’: 들어온 벡터에 어텐션의 출력을 더합니다</translation>
    </message>
    <message>
        <source>x: came in</source>
        <translation>x: 들어온 벡터</translation>
    </message>
    <message>
        <source>+ attention(x)</source>
        <translation>+ 어텐션(x)</translation>
    </message>
    <message>
        <source>= sum</source>
        <translation>= 합</translation>
    </message>
    <message>
        <source>The bar is the length of each vector. The cosine of x and the sum is {0}.</source>
        <translation>막대는 벡터의 길이입니다. x와 합의 코사인 유사도: {0}.</translation>
    </message>
</context>
<context>
    <name>RolesPicture</name>
    <message>
        <source>Query, key and value of a token. Arrows read them out</source>
        <translation>한 토큰의 쿼리, 키, 값. 화살표 키로 읽습니다</translation>
    </message>
    <message>
        <source>One vector, three matrices: “{0}” in layer {1}</source>
        <translation>벡터 하나에 행렬 셋: 레이어 {1}의 ‘{0}’</translation>
    </message>
    <message>
        <source>Each head has its own columns of each matrix: “{0}” in layer {1}</source>
        <translation>헤드마다 각 행렬에서 자기 열을 씁니다: 레이어 {1}의 ‘{0}’</translation>
    </message>
</context>
<context>
    <name>RolesPlot</name>
    <message>
        <source>query: what “{0}” looks for</source>
        <translation>쿼리: ‘{0}’ 토큰이 찾는 것</translation>
    </message>
    <message>
        <source>key: which queries “{0}” matches</source>
        <translation>키: ‘{0}’ 토큰이 들어맞는 쿼리</translation>
    </message>
    <message>
        <source>value: what “{0}” passes on</source>
        <translation>값: ‘{0}’ 토큰이 전해 주는 것</translation>
    </message>
    <message>
        <source>head {0}: {1} numbers, {2} …</source>
        <translation>헤드 {0}: 수 {1}개, {2} …</translation>
    </message>
    <message>
        <source>{0} numbers</source>
        <translation>수 {0}개</translation>
    </message>
    <message>
        <source>{0} numbers in head {1}</source>
        <translation>헤드 {1}의 수 {0}개</translation>
    </message>
    <message>
        <source>{0} heads with {1} numbers each: {2}</source>
        <translation>헤드 {0}개에 수가 {1}개씩: 모두 {2}개</translation>
    </message>
</context>
<context>
    <name>Rooms</name>
    <message>
        <source>Learn</source>
        <translation>배우기</translation>
    </message>
    <message>
        <source>Lessons, and one picture (Ctrl+Alt+1)</source>
        <translation>수업과 그림 하나 (Ctrl+Alt+1)</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>살펴보기</translation>
    </message>
    <message>
        <source>Your own sentence: one picture, and what you add to it (Ctrl+Alt+2)</source>
        <translation>내 문장: 그림 하나와 거기에 더한 것 (Ctrl+Alt+2)</translation>
    </message>
    <message>
        <source>Research</source>
        <translation>연구하기</translation>
    </message>
    <message>
        <source>Everything (Ctrl+Alt+3)</source>
        <translation>모든 기능 (Ctrl+Alt+3)</translation>
    </message>
</context>
<context>
    <name>RoundingLabel</name>
    <message>
        <source>bfloat16: not compared, the checkpoint is not here</source>
        <translation>bfloat16: 체크포인트가 이 컴퓨터에 없어 비교하지 않음</translation>
    </message>
    <message>
        <source>bfloat16: comparing with float32 …</source>
        <translation>bfloat16: float32와 비교하는 중 …</translation>
    </message>
    <message>
        <source>bfloat16: not compared with float32</source>
        <translation>bfloat16: float32와 비교하지 않음</translation>
    </message>
    <message>
        <source>bfloat16: largest difference of a weight {0}</source>
        <translation>bfloat16: 가중치의 최대 차이 {0}</translation>
    </message>
    <message>
        <source>The largest difference of an attention weight of this text from float32, of all heads.</source>
        <translation>이 문장의 모든 헤드에서 어텐션 가중치가 float32 결과와 가장 크게 다른 값입니다.</translation>
    </message>
</context>
<context>
    <name>RowPicture</name>
    <message>
        <source>Divide the scores by another number</source>
        <translation>점수를 다른 수로 나누기</translation>
    </message>
    <message>
        <source>layer {0}, head {1}</source>
        <translation>레이어 {0}, 헤드 {1}</translation>
    </message>
    <message>
        <source>Before: what “{0}” looks at ({1})</source>
        <translation>전: ‘{0}’ 토큰이 보는 곳 ({1})</translation>
    </message>
    <message>
        <source>Now: the same, until you change the text</source>
        <translation>지금: 글을 바꾸기 전에는 똑같습니다</translation>
    </message>
    <message>
        <source>Now: what “{0}” looks at (broken line: before)</source>
        <translation>지금: ‘{0}’ 토큰이 보는 곳 (점선: 전)</translation>
    </message>
    <message>
        <source>“{0}” {1} → {2}</source>
        <translation>‘{0}’ {1} → {2}</translation>
    </message>
    <message>
        <source>The model divides by {0}: entropy {1} bits</source>
        <translation>모델이 나누는 수 {0}: 엔트로피 {1}비트</translation>
    </message>
    <message>
        <source>Divided by {0}: entropy {1} bits</source>
        <translation>나누는 수 {0}: 엔트로피 {1}비트</translation>
    </message>
    <message>
        <source>Layer {0}, head {1}: what “{2}” looks at</source>
        <translation>레이어 {0}, 헤드 {1}: ‘{2}’ 토큰이 보는 것</translation>
    </message>
    <message>
        <source>Entropy is 0 where one token has all weight, and {0} bits where all {1} have the same.</source>
        <translation>엔트로피는 한 토큰에 가중치가 모두 있으면 0이고, {1}개가 모두 같으면 {0}비트입니다.</translation>
    </message>
</context>
<context>
    <name>RunButtons</name>
    <message>
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 하기</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>저장하고 중지</translation>
    </message>
    <message>
        <source>Open the model</source>
        <translation>모델 열기</translation>
    </message>
    <message>
        <source>Back to the form</source>
        <translation>설정으로 돌아가기</translation>
    </message>
    <message>
        <source>Another training</source>
        <translation>다른 학습</translation>
    </message>
    <message>
        <source>Compare with the base model</source>
        <translation>처음 모델과 비교</translation>
    </message>
    <message>
        <source>Run A: the checkpoint it started from; run B: the trained one</source>
        <translation>시작한 체크포인트를 실행 A로, 학습한 모델을 실행 B로 놓습니다</translation>
    </message>
    <message>
        <source>Compare first and last</source>
        <translation>처음과 끝 비교</translation>
    </message>
    <message>
        <source>Run A: the untrained model; run B: the trained one</source>
        <translation>학습하지 않은 모델을 실행 A로, 학습한 모델을 실행 B로 놓습니다</translation>
    </message>
</context>
<context>
    <name>RunNumbers</name>
    <message>
        <source>Steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>학습한 시간</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>남은 시간</translation>
    </message>
    <message>
        <source>Tokens a second</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>읽은 토큰</translation>
    </message>
    <message>
        <source>Masked-token accuracy</source>
        <translation>가린 토큰 정확도</translation>
    </message>
    <message>
        <source>Next-sentence accuracy</source>
        <translation>다음 문장 정확도</translation>
    </message>
    <message>
        <source>Baseline: most frequent token</source>
        <translation>기준선: 가장 흔한 토큰만 답할 때</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>Accuracy on held-out data</source>
        <translation>검증 데이터의 정확도</translation>
    </message>
    <message>
        <source>F1 of the spans in held-out data</source>
        <translation>검증용 데이터에서 구간의 F1</translation>
    </message>
    <message>
        <source>Micro F1 on held-out data</source>
        <translation>검증 데이터의 마이크로 F1</translation>
    </message>
    <message>
        <source>Macro F1 on held-out data</source>
        <translation>검증 데이터의 매크로 F1</translation>
    </message>
    <message>
        <source>Baseline: most frequent label</source>
        <translation>기준선: 가장 흔한 레이블만 답할 때</translation>
    </message>
    <message>
        <source>Pearson correlation on held-out data</source>
        <translation>검증용 데이터의 피어슨 상관</translation>
    </message>
    <message>
        <source>Spearman correlation on held-out data</source>
        <translation>검증용 데이터의 스피어만 상관</translation>
    </message>
    <message>
        <source>Mean squared error on held-out data</source>
        <translation>검증용 데이터의 평균 제곱 오차</translation>
    </message>
    <message>
        <source>Baseline: always the mean</source>
        <translation>기준선: 항상 평균</translation>
    </message>
    <message>
        <source>Share of the masked tokens of held-out text that are predicted correctly</source>
        <translation>검증용 글의 가린 토큰 가운데 맞힌 비율입니다</translation>
    </message>
    <message>
        <source>The share of the held-out data whose label is predicted correctly</source>
        <translation>검증 데이터 가운데 레이블을 바르게 맞힌 비율입니다</translation>
    </message>
    <message>
        <source>The harmonic mean of precision and recall; a span is found where its beginning, its end and its type are right</source>
        <translation>정밀도와 재현율의 조화 평균. 시작과 끝과 종류가 모두 맞아야 찾은 구간입니다</translation>
    </message>
    <message>
        <source>Each label is predicted from a probability of {0} on, which is not chosen on any rows</source>
        <translation>레이블마다 확률 {0}부터 예측한 것으로 봅니다. 이 값은 어떤 행으로도 고르지 않았습니다</translation>
    </message>
    <message>
        <source>The F1 of all labels together. {0}</source>
        <translation>모든 레이블을 합친 F1. {0}</translation>
    </message>
    <message>
        <source>The mean of the F1 of each label. {0}</source>
        <translation>레이블별 F1의 평균. {0}</translation>
    </message>
    <message>
        <source>Share of held-out pairs that are judged correctly; guessing gives one half</source>
        <translation>검증용 문장 쌍 가운데 맞힌 비율입니다. 아무렇게나 답해도 절반은 맞힙니다</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{1}개 중 {0}</translation>
    </message>
</context>
<context>
    <name>SameWordPicture</name>
    <message>
        <source>token embedding</source>
        <translation>토큰 임베딩</translation>
    </message>
    <message>
        <source>sum of the three</source>
        <translation>셋의 합</translation>
    </message>
    <message>
        <source>normalised</source>
        <translation>정규화</translation>
    </message>
    <message>
        <source>“{0}” at position {1} and at position {2}</source>
        <translation>‘{0}’ 토큰: 위치 {1}, 위치 {2}</translation>
    </message>
    <message>
        <source>mean {0}, standard deviation {1}</source>
        <translation>평균 {0}, 표준편차 {1}</translation>
    </message>
    <message>
        <source>position {0}</source>
        <translation>위치 {0}</translation>
    </message>
    <message>
        <source>length {0}</source>
        <translation>길이 {0}</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>차</translation>
    </message>
</context>
<context>
    <name>SampleRow</name>
    <message>
        <source>The layers without ≈ are exact; numbers of the others follow.</source>
        <translation>≈ 표시가 없는 레이어는 정확한 값입니다. 나머지 레이어의 수치는 계산되는 대로 나타납니다.</translation>
    </message>
    <message>
        <source>The layers without ≈ are exact; the others were stopped.</source>
        <translation>≈ 표시가 없는 레이어는 정확한 값입니다. 나머지 레이어의 계산은 중지되었습니다.</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Compute the numbers of all queries</source>
        <translation>모든 쿼리의 수치를 계산합니다</translation>
    </message>
    <message>
        <source>Leave the other layers as samples</source>
        <translation>나머지 레이어는 표본으로 남겨 둡니다</translation>
    </message>
</context>
<context>
    <name>Samples</name>
    <message>
        <source>Sample of {0} of {1} queries in {2} of {3} layers</source>
        <translation>레이어 {3}개 중 {2}개는 쿼리 {1}개 중 {0}개만 뽑은 표본</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>{0} exists already. Replace it?</source>
        <translation>{0} 파일이 이미 있습니다. 바꿀까요?</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>바꾸기</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>그대로 두기</translation>
    </message>
</context>
<context>
    <name>SavedModels</name>
    <message>
        <source>Saved during training; click to open</source>
        <translation>도중에 저장됨. 클릭하면 엽니다</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>스텝 {0}</translation>
    </message>
</context>
<context>
    <name>ScoresPicture</name>
    <message>
        <source>How far the products q · k spread</source>
        <translation>내적 q · k가 퍼진 정도</translation>
    </message>
    <message>
        <source>How far the scores spread</source>
        <translation>점수가 퍼진 정도</translation>
    </message>
    <message>
        <source>q · k, all pairs in all {0} heads: standard deviation {1}</source>
        <translation>q · k, 헤드 {0}개의 모든 쌍: 표준편차 {1}</translation>
    </message>
    <message>
        <source>divided by √{0} = {1}: standard deviation {2}</source>
        <translation>÷ √{0} = {1} 다음: 표준편차 {2}</translation>
    </message>
</context>
<context>
    <name>SelfTest</name>
    <message>
        <source>Rows add up to 1</source>
        <translation>각 행의 합은 1</translation>
    </message>
    <message>
        <source>The attention weights of each query, in every head.</source>
        <translation>모든 헤드에서 각 쿼리의 어텐션 가중치.</translation>
    </message>
    <message>
        <source>A second pass agrees</source>
        <translation>두 번째 계산과 일치</translation>
    </message>
    <message>
        <source>Attention written out gives the same hidden states as the fast pass.</source>
        <translation>어텐션을 풀어 쓴 계산이 빠른 계산과 같은 은닉 상태를 냅니다.</translation>
    </message>
    <message>
        <source>Weights agree with the pass</source>
        <translation>가중치가 계산과 일치</translation>
    </message>
    <message>
        <source>Those computed from queries and keys are those that the pass used.</source>
        <translation>쿼리와 키로 구한 가중치가 실제 계산에 쓰인 가중치와 같습니다.</translation>
    </message>
    <message>
        <source>Parts add up to the whole</source>
        <translation>부분의 합이 전체와 일치</translation>
    </message>
    <message>
        <source>What each token adds to a vector, with the biases, gives that vector.</source>
        <translation>각 토큰이 벡터에 더하는 것과 편향을 모두 더하면 그 벡터가 됩니다.</translation>
    </message>
    <message>
        <source>Float64 agrees</source>
        <translation>배정밀도와 일치</translation>
    </message>
    <message>
        <source>A pass in double precision gives the same hidden states.</source>
        <translation>배정밀도(float64) 계산이 같은 은닉 상태를 냅니다.</translation>
    </message>
</context>
<context>
    <name>SelfTestBadge</name>
    <message>
        <source>Self-test …</source>
        <translation>자체 검사 …</translation>
    </message>
    <message>
        <source>Self-test not available</source>
        <translation>자체 검사를 할 수 없음</translation>
    </message>
    <message>
        <source>Self-test passed</source>
        <translation>자체 검사 통과</translation>
    </message>
    <message>
        <source>The checks are off by {0} at most.</source>
        <translation>검사한 값의 오차는 {0} 이하입니다.</translation>
    </message>
    <message>
        <source>Self-test failed: {0}</source>
        <translation>자체 검사 실패: {0}</translation>
    </message>
    <message>
        <source>The numbers on screen are tested when nothing else is computed.</source>
        <translation>다른 계산이 없을 때 화면의 수치를 검사합니다.</translation>
    </message>
    <message>
        <source>The test could not be run.</source>
        <translation>검사를 실행하지 못했습니다.</translation>
    </message>
    <message>
        <source>Click to see each check, how far it is off, and what rounding explains.</source>
        <translation>클릭하면 각 검사와 그 오차, 반올림으로 설명되는 한계를 볼 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>SentenceList</name>
    <message>
        <source>Sentences in the bar</source>
        <translation>막대에 속한 문장</translation>
    </message>
    <message>
        <source>(its file is not here)</source>
        <translation>(원래 파일이 없습니다)</translation>
    </message>
    <message>
        <source>Line {0}: {1}</source>
        <translation>{0}번째 줄: {1}</translation>
    </message>
    <message>
        <source>Click a bar: its sentences are listed here. Click a sentence to open it.</source>
        <translation>막대를 클릭하면 그 막대에 속한 문장이 여기에 나옵니다. 문장을 클릭하면 화면에 열립니다.</translation>
    </message>
    <message>
        <source>from {0} on</source>
        <translation>{0}부터</translation>
    </message>
    <message>
        <source>from {0} to {1}</source>
        <translation>{0}–{1}</translation>
    </message>
    <message>
        <source>Layer {0} · head {1}, {2}: sentences {3}</source>
        <translation>레이어 {0} · 헤드 {1}, {2}: 문장 {3}개</translation>
    </message>
    <message>
        <source>{0} (looking …)</source>
        <translation>{0} (찾는 중 …)</translation>
    </message>
    <message>
        <source>{0}, the first {1} listed</source>
        <translation>{0}, 처음 {1}개만 표시</translation>
    </message>
</context>
<context>
    <name>ShelfPage</name>
    <message>
        <source>This model has no such vector: choose [CLS] or the mean.</source>
        <translation>이 모델에는 그런 벡터가 없습니다. [CLS]나 평균을 고르세요.</translation>
    </message>
    <message>
        <source>The shelf is empty. A sentence is added after a short pause, when you press Enter in its field, or with Add.</source>
        <translation>보관함이 비어 있습니다. 문장을 잠시 그대로 두거나, 입력란에서 Enter를 누르거나, ‘넣기’를 누르면 보관함에 들어갑니다.</translation>
    </message>
    <message>
        <source>The pooler&apos;s output: [CLS] through a dense layer and tanh</source>
        <translation>풀러의 출력: [CLS]가 밀집 레이어와 tanh를 지난 벡터</translation>
    </message>
    <message>
        <source>The last hidden state of [CLS]</source>
        <translation>[CLS]의 마지막 은닉 상태</translation>
    </message>
    <message>
        <source>The mean of the last hidden states of all tokens</source>
        <translation>모든 토큰의 마지막 은닉 상태의 평균</translation>
    </message>
    <message>
        <source>The sentence vector, as sentence-transformers computes it</source>
        <translation>sentence-transformers가 계산하는 문장 벡터</translation>
    </message>
    <message>
        <source>Pooled</source>
        <translation>풀링</translation>
    </message>
    <message>
        <source>[CLS]</source>
        <translation>[CLS]</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>Sentence</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Which vector stands for a sentence</source>
        <translation>문장을 나타낼 벡터</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>행렬</translation>
    </message>
    <message>
        <source>Cosine similarity of each pair of sentences</source>
        <translation>문장 쌍마다 잰 코사인 유사도</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>넣기</translation>
    </message>
    <message>
        <source>Add the sentence to the shelf now</source>
        <translation>지금 문장을 보관함에 넣습니다</translation>
    </message>
    <message>
        <source>Remove the selected sentence from the shelf (Delete)</source>
        <translation>고른 문장을 보관함에서 뺍니다 (Delete)</translation>
    </message>
    <message>
        <source>Remove all sentences of this model from the shelf</source>
        <translation>이 모델의 문장을 보관함에서 모두 뺍니다</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>The sentences on a plane, by principal components</source>
        <translation>주성분 평면 위의 문장</translation>
    </message>
    <message>
        <source>How the shelf is drawn</source>
        <translation>보관함을 그리는 방법</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>빼기</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>모두 지우기</translation>
    </message>
    <message>
        <source>Cosine similarity between the sentences of the shelf</source>
        <translation>보관함 문장 사이의 코사인 유사도</translation>
    </message>
    <message>
        <source>Map of the sentences of the shelf</source>
        <translation>보관함 문장의 지도</translation>
    </message>
    <message>
        <source>cosine {0}</source>
        <translation>코사인 {0}</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Commands and their keys</source>
        <translation>명령과 단축키</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>SimilarPage</name>
    <message>
        <source>Cosine similarity between tokens</source>
        <translation>토큰 사이의 코사인 유사도</translation>
    </message>
    <message>
        <source>cosine {0}</source>
        <translation>코사인 {0}</translation>
    </message>
</context>
<context>
    <name>Stage</name>
    <message>
        <source>{0} hidden state</source>
        <translation>{0} 은닉 상태</translation>
    </message>
    <message>
        <source>{0} pooled</source>
        <translation>{0} 풀링</translation>
    </message>
    <message>
        <source>Sentence vector</source>
        <translation>문장 벡터</translation>
    </message>
    <message>
        <source>{0} · no pooler here</source>
        <translation>{0} · 풀러 없음</translation>
    </message>
    <message>
        <source>{0} dimensions</source>
        <translation>{0}차원</translation>
    </message>
    <message>
        <source>weights alone</source>
        <translation>가중치뿐</translation>
    </message>
    <message>
        <source>cos A, B {0}</source>
        <translation>cos A, B {0}</translation>
    </message>
    <message>
        <source>No vectors</source>
        <translation>벡터 없음</translation>
    </message>
</context>
<context>
    <name>Stamps</name>
    <message>
        <source>Weights</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>노름</translation>
    </message>
    <message>
        <source>Norms + residual</source>
        <translation>노름 + 잔차</translation>
    </message>
    <message>
        <source>Attention weights α</source>
        <translation>어텐션 가중치 α</translation>
    </message>
    <message>
        <source>Norms ||α f(x)|| (Kobayashi 2020)</source>
        <translation>노름 ||α f(x)|| (Kobayashi 2020)</translation>
    </message>
    <message>
        <source>Norms with residual and layer norm, all heads together (Kobayashi 2021)</source>
        <translation>잔차와 레이어 정규화를 포함한 노름, 모든 헤드를 합함 (Kobayashi 2021)</translation>
    </message>
    <message>
        <source>attention weight</source>
        <translation>어텐션 가중치</translation>
    </message>
    <message>
        <source>norm ||α f(x)||</source>
        <translation>노름 ||α f(x)||</translation>
    </message>
    <message>
        <source>norm with residual, all heads</source>
        <translation>잔차를 포함한 노름, 모든 헤드</translation>
    </message>
    <message>
        <source>Special tokens shown</source>
        <translation>특수 토큰 보임</translation>
    </message>
    <message>
        <source>Special tokens hidden</source>
        <translation>특수 토큰 숨김</translation>
    </message>
    <message>
        <source>Special tokens removed, rows add up to 1</source>
        <translation>특수 토큰 뺌, 각 행의 합은 1</translation>
    </message>
    <message>
        <source>special hidden</source>
        <translation>특수 숨김</translation>
    </message>
    <message>
        <source>special removed</source>
        <translation>특수 제외</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>One moment: the model is being opened …</source>
        <translation>잠시만 기다려 주세요. 모델을 여는 중입니다 …</translation>
    </message>
    <message>
        <source>Type a sentence above</source>
        <translation>위에 문장을 입력하세요</translation>
    </message>
    <message>
        <source>BERT is a model that reads text. It cuts the text into tokens, words or pieces of words, and in each of its “heads” every token looks at the others. This is what one head does:</source>
        <translation>BERT는 글을 읽는 모델입니다. 글을 토큰(단어나 단어 조각)으로 나누고, ‘헤드’마다 모든 토큰이 서로를 봅니다. 아래는 헤드 하나가 하는 일입니다.</translation>
    </message>
    <message>
        <source>Start the first lesson · 8 minutes</source>
        <translation>첫 수업 시작 · 8분</translation>
    </message>
    <message>
        <source>All lessons</source>
        <translation>모든 수업</translation>
    </message>
    <message>
        <source>Continue: {0}</source>
        <translation>이어서 보기: {0}</translation>
    </message>
    <message>
        <source>Type a sentence of your own, and watch</source>
        <translation>내 문장을 입력하고 지켜보세요</translation>
    </message>
    <message>
        <source>A sentence of your own</source>
        <translation>내 문장</translation>
    </message>
    <message>
        <source>Look inside</source>
        <translation>들여다보기</translation>
    </message>
    <message>
        <source>Own lesson: {0}</source>
        <translation>내 수업: {0}</translation>
    </message>
    <message>
        <source>More examples</source>
        <translation>다른 예</translation>
    </message>
    <message>
        <source>Real weights of {0}: layer {1}, head {2}.</source>
        <translation>{0}의 실제 가중치: 레이어 {1}, 헤드 {2}.</translation>
    </message>
    <message>
        <source>Point at another word, or click to go inside.</source>
        <translation>다른 단어를 가리켜 보세요. 클릭하면 안으로 들어갑니다.</translation>
    </message>
    <message>
        <source>The model that is open, {0}, has other heads.</source>
        <translation>지금 열려 있는 {0} 모델의 헤드는 이와 다릅니다.</translation>
    </message>
    <message>
        <source>Left and Right: another word. Enter: go inside.</source>
        <translation>왼쪽, 오른쪽 화살표: 다른 단어. Enter: 안으로 들어가기.</translation>
    </message>
</context>
<context>
    <name>StatesPicture</name>
    <message>
        <source>After which layer</source>
        <translation>어느 레이어 다음인지</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>last layer</source>
        <translation>마지막 레이어</translation>
    </message>
    <message>
        <source>The vector of each token as a strip</source>
        <translation>토큰마다 띠로 그린 벡터</translation>
    </message>
    <message>
        <source>Map of the tokens by principal components</source>
        <translation>주성분으로 그린 토큰 지도</translation>
    </message>
    <message>
        <source>After the embeddings</source>
        <translation>임베딩 다음</translation>
    </message>
    <message>
        <source>After layer {0}</source>
        <translation>레이어 {0} 다음</translation>
    </message>
    <message>
        <source>{0}: the tokens in the two directions in which they differ most</source>
        <translation>{0}: 가장 크게 달라지는 두 방향에서 본 토큰</translation>
    </message>
    <message>
        <source>{0}: {1} vectors of {2} numbers</source>
        <translation>{0}: 수 {2}개로 된 벡터 {1}개</translation>
    </message>
</context>
<context>
    <name>StationDots</name>
    <message>
        <source>{0} stations: {1} seen, {2} solved</source>
        <translation>장면 {0}개: 본 것 {1}개, 푼 것 {2}개</translation>
    </message>
</context>
<context>
    <name>StationForm</name>
    <message>
        <source>Write the station</source>
        <translation>장면 쓰기</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>A new lesson</source>
        <translation>새 수업</translation>
    </message>
    <message>
        <source>Create a lesson page from this view</source>
        <translation>지금 화면으로 수업의 장면 만들기</translation>
    </message>
    <message>
        <source>Change a station</source>
        <translation>장면 고치기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Shows</source>
        <translation>보이는 것</translation>
    </message>
    <message>
        <source>Leave one language empty to use the texts of the other.</source>
        <translation>한 언어를 비워 두면 다른 언어의 글을 씁니다.</translation>
    </message>
    <message>
        <source>Items in their order, one a line</source>
        <translation>항목, 한 줄에 하나씩 옳은 순서로</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Still empty: {0}.</source>
        <translation>아직 비어 있습니다: {0}.</translation>
    </message>
</context>
<context>
    <name>StationMaker</name>
    <message>
        <source>A station needs a text that a checkpoint on this computer has encoded.</source>
        <translation>장면을 만들려면 이 컴퓨터의 체크포인트로 인코딩한 문장이 있어야 합니다.</translation>
    </message>
    <message>
        <source>What this station shows already</source>
        <translation>지금 이 장면이 보여 주는 것</translation>
    </message>
    <message>
        <source>Open a lesson of your own first: those of the program stay as they are.</source>
        <translation>먼저 내 수업을 여세요. 프로그램에 들어 있는 수업은 바꿀 수 없습니다.</translation>
    </message>
    <message>
        <source>The station is in {0}.</source>
        <translation>장면을 {0} 파일에 썼습니다.</translation>
    </message>
    <message>
        <source>The stations are written. The lesson before is in {0}.</source>
        <translation>장면을 썼습니다. 바꾸기 전의 수업은 {0}에 있습니다.</translation>
    </message>
</context>
<context>
    <name>StationPreview</name>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>설명</translation>
    </message>
</context>
<context>
    <name>StationsButton</name>
    <message>
        <source>Change this station …</source>
        <translation>이 장면 고치기 …</translation>
    </message>
    <message>
        <source>Arrange the stations …</source>
        <translation>장면 순서 바꾸기 …</translation>
    </message>
    <message>
        <source>Print the lesson …</source>
        <translation>수업 인쇄 …</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0}/{1}</translation>
    </message>
    <message>
        <source>Stations of the lesson</source>
        <translation>수업의 장면</translation>
    </message>
    <message>
        <source>Teacher&apos;s notes …</source>
        <translation>교사용 메모 …</translation>
    </message>
    <message>
        <source>All lessons …</source>
        <translation>수업 목록 …</translation>
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
        <translation>레이어 {0} × 헤드 {1}</translation>
    </message>
    <message>
        <source>encoded in {0} on {1}</source>
        <translation>{1}에서 {0} 만에 인코딩</translation>
    </message>
    <message>
        <source>opened from a file</source>
        <translation>파일에서 열림</translation>
    </message>
    <message>
        <source>Size of the trace in memory: {0}</source>
        <translation>기록이 차지하는 메모리: {0}</translation>
    </message>
    <message>
        <source>Each row of attention sums to 1, within {0}</source>
        <translation>어텐션 행마다 합이 1입니다(오차 {0} 이내)</translation>
    </message>
</context>
<context>
    <name>StepPlayer</name>
    <message>
        <source>Step that is shown</source>
        <translation>보이는 스텝</translation>
    </message>
    <message>
        <source>Play from the first step to the last</source>
        <translation>첫 스텝부터 끝까지 재생</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>스텝 {0}</translation>
    </message>
</context>
<context>
    <name>Steps</name>
    <message>
        <source>Embeddings</source>
        <translation>임베딩</translation>
    </message>
    <message>
        <source>Pooler</source>
        <translation>풀러</translation>
    </message>
    <message>
        <source>Layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>weights shared by all layers</source>
        <translation>모든 레이어가 함께 쓰는 가중치</translation>
    </message>
    <message>
        <source>Head {0}</source>
        <translation>헤드 {0}</translation>
    </message>
    <message>
        <source>all its numbers</source>
        <translation>모든 수</translation>
    </message>
    <message>
        <source>of every token</source>
        <translation>모든 토큰</translation>
    </message>
    <message>
        <source>query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>Z</source>
        <translation>Z</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>query · key ÷ √d</source>
        <translation>쿼리 · 키 ÷ √d</translation>
    </message>
    <message>
        <source>query · key ÷ √d + bias</source>
        <translation>쿼리 · 키 ÷ √d + 편향</translation>
    </message>
    <message>
        <source>bias for the distance</source>
        <translation>거리에 따른 편향</translation>
    </message>
    <message>
        <source>content → content</source>
        <translation>내용 → 내용</translation>
    </message>
    <message>
        <source>content → position</source>
        <translation>내용 → 위치</translation>
    </message>
    <message>
        <source>position → content</source>
        <translation>위치 → 내용</translation>
    </message>
    <message>
        <source>input</source>
        <translation>입력</translation>
    </message>
    <message>
        <source>product</source>
        <translation>곱</translation>
    </message>
    <message>
        <source>score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>power of e</source>
        <translation>e의 거듭제곱</translation>
    </message>
    <message>
        <source>distance</source>
        <translation>거리</translation>
    </message>
    <message>
        <source>query × key</source>
        <translation>쿼리 × 키</translation>
    </message>
    <message>
        <source>exp(score − largest)</source>
        <translation>exp(점수 − 최대)</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>weight with another divisor</source>
        <translation>다른 수로 나눈 가중치</translation>
    </message>
    <message>
        <source>weight × value</source>
        <translation>가중치 × 값</translation>
    </message>
    <message>
        <source>Computing layer {0} …</source>
        <translation>레이어 {0} 계산 중 …</translation>
    </message>
    <message>
        <source>These numbers are not in the trace, and the checkpoint to compute them is not open.</source>
        <translation>이 수치는 기록에 없고, 계산할 체크포인트도 열려 있지 않습니다.</translation>
    </message>
    <message>
        <source>{0} · minimum {1} · maximum {2} · mean {3}</source>
        <translation>{0} · 최소 {1} · 최대 {2} · 평균 {3}</translation>
    </message>
    <message>
        <source>{0} · min {1} · max {2} · mean {3}</source>
        <translation>{0} · 최소 {1} · 최대 {2} · 평균 {3}</translation>
    </message>
    <message>
        <source>wider panel: also {0}</source>
        <translation>패널을 넓히면: {0}</translation>
    </message>
    <message>
        <source>{0} later keys that it does not see</source>
        <translation>보지 못하는 뒤쪽 키 {0}개</translation>
    </message>
    <message>
        <source>1 later key that it does not see</source>
        <translation>보지 못하는 뒤쪽 키 1개</translation>
    </message>
    <message>
        <source>1 key outside of the window</source>
        <translation>창 밖의 키 1개</translation>
    </message>
    <message>
        <source>{0} keys outside of the window</source>
        <translation>창 밖의 키 {0}개</translation>
    </message>
    <message>
        <source>… +{0} more</source>
        <translation>… 외 {0}개</translation>
    </message>
    <message>
        <source>As rows</source>
        <translation>행으로 보기</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>모든 키</translation>
    </message>
    <message>
        <source>dim</source>
        <translation>차원</translation>
    </message>
    <message>
        <source>Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to number {2} of {3}: {4}.</source>
        <translation>수 {0}개에서 {1}개가 나옵니다. 행렬의 한 줄이 수 하나를 만듭니다. 곱 {0}개를 더하면 {3}의 {2}번 수 {4}입니다.</translation>
    </message>
    <message>
        <source>Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to {2}, with the bias {3} to number {4} of {5}: {6}.</source>
        <translation>수 {0}개에서 {1}개가 나옵니다. 행렬의 한 줄이 수 하나를 만듭니다. 곱 {0}개의 합({2})과 편향({3})을 더하면 {5}의 {4}번 수 {6}입니다.</translation>
    </message>
    <message>
        <source>number {0} of the vector, line {1} of the matrix</source>
        <translation>벡터의 {0}번째 수, 행렬의 {1}번째 줄</translation>
    </message>
    <message>
        <source>Each of the {0} heads wrote {1} numbers for “{2}”. Side by side they are one vector of {3} numbers.</source>
        <translation>헤드 {0}개가 저마다 ‘{2}’에 수 {1}개씩을 냈습니다. 나란히 이으면 수 {3}개로 된 벡터 하나가 됩니다.</translation>
    </message>
    <message>
        <source>head {0}: dimensions {1} to {2}</source>
        <translation>헤드 {0}: 차원 {1}부터 {2}까지</translation>
    </message>
    <message>
        <source>The table has {0} rows of {1} numbers. “{2}” has the number {3}, so row {3} is taken out: nothing is computed.</source>
        <translation>표에는 수 {1}개짜리 행이 {0}개 있습니다. ‘{2}’의 번호가 {3}이므로 {3}번 행을 꺼냅니다. 계산은 하지 않습니다.</translation>
    </message>
    <message>
        <source>dimension {0}</source>
        <translation>차원 {0}</translation>
    </message>
    <message>
        <source>variance {0}</source>
        <translation>분산 {0}</translation>
    </message>
    <message>
        <source>{0} of {1} numbers</source>
        <translation>수 {1}개 중 {0}개</translation>
    </message>
    <message>
        <source>from {0} to {1}</source>
        <translation>{0}부터 {1}까지</translation>
    </message>
    <message>
        <source>{0} products of queries and keys of this head, and the same divided by {1}: the variance falls from {2} to {3}.</source>
        <translation>이 헤드의 쿼리·키 곱 {0}개와, 이를 √d = {1}만큼으로 줄인 값입니다. 분산: {2} → {3}.</translation>
    </message>
    <message>
        <source>The {0} numbers of “{1}”: mean {2} and standard deviation {3} become 0 and 1, then γ scales and β shifts them.</source>
        <translation>‘{1}’의 수 {0}개: 평균 {2} → 0, 표준편차 {3} → 1. 이어서 γ를 곱하고 β를 더합니다.</translation>
    </message>
    <message>
        <source>The {0} numbers of “{1}”, mean {2} and standard deviation {3}, are divided by their root mean square, then γ scales them.</source>
        <translation>‘{1}’의 수 {0}개(평균 {2}, 표준편차 {3})를 제곱평균제곱근으로 나눈 다음 γ를 곱합니다.</translation>
    </message>
    <message>
        <source>The {0} numbers of “{1}”, mean {2} and standard deviation {3}: γ scales and β shifts them, nothing is normalised.</source>
        <translation>‘{1}’의 수 {0}개(평균 {2}, 표준편차 {3})에 γ를 곱하고 β를 더합니다. 정규화는 하지 않습니다.</translation>
    </message>
    <message>
        <source>{0} numbers of “{1}” go through {2}, each by itself: right what goes in, up what comes out. {3} of them come out nearly 0.</source>
        <translation>‘{1}’의 수 {0}개가 하나씩 활성화 함수 {2}에 들어갑니다. 가로는 들어가는 값, 세로는 나오는 값입니다. 그중 {3}개는 거의 0이 되어 나옵니다.</translation>
    </message>
    <message>
        <source>Lengths and angles are true: an arrow of length {0} and one of {1} add up to one of {2}. The sum and what it was added to have the cosine {3}.</source>
        <translation>길이와 각도는 실제 값 그대로입니다. 길이 {0}인 화살표와 길이 {1}인 화살표를 더하면 길이 {2}인 화살표가 됩니다. 들어온 벡터와 합의 코사인은 {3}입니다.</translation>
    </message>
    <message>
        <source>length {0}</source>
        <translation>길이 {0}</translation>
    </message>
    <message>
        <source>what came in</source>
        <translation>들어온 벡터</translation>
    </message>
    <message>
        <source>what is added</source>
        <translation>더하는 벡터</translation>
    </message>
    <message>
        <source>the sum</source>
        <translation>합</translation>
    </message>
    <message>
        <source>cosine {0}, {1}° away from what came in</source>
        <translation>코사인 {0}, 들어온 벡터와 이루는 각 {1}°</translation>
    </message>
</context>
<context>
    <name>StepsCode</name>
    <message>
        <source>Copy code</source>
        <translation>코드 복사</translation>
    </message>
    <message>
        <source>Copy these lines (Ctrl+C)</source>
        <translation>이 코드를 복사합니다(Ctrl+C)</translation>
    </message>
    <message>
        <source>A click on a line goes to its stop, a double click to its picture.</source>
        <translation>줄을 클릭하면 그 단계로 가고, 두 번 클릭하면 그 그림이 나옵니다.</translation>
    </message>
    <message>
        <source>What was done to heads or weights of this run is not in these lines.</source>
        <translation>이 실행에서 헤드나 가중치를 바꾼 것은 이 코드에 들어 있지 않습니다.</translation>
    </message>
    <message>
        <source>The embeddings in PyTorch.</source>
        <translation>PyTorch로 쓴 임베딩입니다.</translation>
    </message>
    <message>
        <source>The attention in PyTorch.</source>
        <translation>PyTorch로 쓴 어텐션입니다.</translation>
    </message>
    <message>
        <source>The feed-forward part in PyTorch.</source>
        <translation>PyTorch로 쓴 피드포워드입니다.</translation>
    </message>
    <message>
        <source>The top of the encoder in PyTorch.</source>
        <translation>PyTorch로 쓴 인코더의 맨 윗부분입니다.</translation>
    </message>
</context>
<context>
    <name>StepsHead</name>
    <message>
        <source>Why there is this stage (Y)</source>
        <translation>이 단계가 왜 있는지 (Y)</translation>
    </message>
    <message>
        <source>Why?</source>
        <translation>왜?</translation>
    </message>
</context>
<context>
    <name>StepsModel</name>
    <message>
        <source>query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>the token that looks</source>
        <translation>보는 토큰</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>the token that is looked at; sorted by its place</source>
        <translation>보이는 토큰. 위치순으로 정렬합니다</translation>
    </message>
    <message>
        <source>the product of query and key</source>
        <translation>쿼리와 키의 내적</translation>
    </message>
    <message>
        <source>what key j contributes; the column adds up to Z</source>
        <translation>키 j가 더하는 양. 열의 합이 Z입니다</translation>
    </message>
    <message>
        <source>the product divided by the square root of the head&apos;s width</source>
        <translation>내적을 헤드 너비의 제곱근으로 나눈 값</translation>
    </message>
    <message>
        <source>the product divided by the square root of the head&apos;s width, plus the distance&apos;s bias</source>
        <translation>내적을 헤드 너비의 제곱근으로 나누고 거리의 편향을 더한 값</translation>
    </message>
    <message>
        <source>the products of content and position, divided by the square root and added up</source>
        <translation>내용과 위치의 내적들을 제곱근으로 나누고 더한 값</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>after the softmax; the column adds up to 1</source>
        <translation>소프트맥스를 지난 값. 열의 합이 1입니다</translation>
    </message>
    <message>
        <source>the value of the key; sorted by its length</source>
        <translation>키의 값 벡터. 길이순으로 정렬합니다</translation>
    </message>
    <message>
        <source>weight × vⱼ</source>
        <translation>가중치 × vⱼ</translation>
    </message>
</context>
<context>
    <name>StepsPicture</name>
    <message>
        <source>dimension {0}</source>
        <translation>차원 {0}</translation>
    </message>
    <message>
        <source>The steps from a query to its output. Arrows go from key to key</source>
        <translation>쿼리에서 출력까지의 단계. 화살표로 키를 옮깁니다</translation>
    </message>
    <message>
        <source>What “{0}” looks at and gathers, in layer {1}, head {2}</source>
        <translation>레이어 {1}, 헤드 {2}에서 ‘{0}’ 토큰이 보고 모으는 것</translation>
    </message>
</context>
<context>
    <name>StepsPlot</name>
    <message>
        <source>score {0}</source>
        <translation>점수 {0}</translation>
    </message>
    <message>
        <source>divided {0}</source>
        <translation>나눈 값 {0}</translation>
    </message>
    <message>
        <source>weight {0}</source>
        <translation>가중치 {0}</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>소프트맥스</translation>
    </message>
    <message>
        <source>weight × value</source>
        <translation>가중치 × 값</translation>
    </message>
</context>
<context>
    <name>StepsTable</name>
    <message>
        <source>From the product of query and key to the weighted value</source>
        <translation>쿼리와 키의 내적부터 가중치를 곱한 값 벡터까지</translation>
    </message>
    <message>
        <source>A click on a column&apos;s name sorts; Ctrl+C copies all digits</source>
        <translation>열 이름을 클릭하면 정렬합니다. Ctrl+C는 모든 자릿수를 복사합니다</translation>
    </message>
</context>
<context>
    <name>StepsView</name>
    <message>
        <source>Steps through the encoder</source>
        <translation>인코더의 단계별 계산</translation>
    </message>
    <message>
        <source>The table goes from q · k to Z; Walk shows “{0}”.</source>
        <translation>이 표는 q · k부터 Z까지 보여 줍니다. 이 단계(“{0}”)의 계산은 ‘그림’에 있습니다.</translation>
    </message>
    <message>
        <source>One query and every key</source>
        <translation>쿼리 하나와 모든 키</translation>
    </message>
    <message>
        <source>muted</source>
        <translation>꺼짐</translation>
    </message>
    <message>
        <source>Steps are those of one run: choose A or B for this panel.</source>
        <translation>단계는 한 실행의 계산입니다. 이 패널에 A나 B를 고르세요.</translation>
    </message>
</context>
<context>
    <name>StripRows</name>
    <message>
        <source>{0} numbers: {1} …</source>
        <translation>수 {0}개: {1} …</translation>
    </message>
</context>
<context>
    <name>StudyChoice</name>
    <message>
        <source>What is measured</source>
        <translation>재는 것</translation>
    </message>
    <message>
        <source>Measures of every head, sentence by sentence</source>
        <translation>문장마다 모든 헤드의 지표</translation>
    </message>
    <message>
        <source>Parameters …</source>
        <translation>매개변수 …</translation>
    </message>
</context>
<context>
    <name>StudyPage</name>
    <message>
        <source>Choose a file …</source>
        <translation>파일 고르기 …</translation>
    </message>
    <message>
        <source>Example in English</source>
        <translation>영어 예문</translation>
    </message>
    <message>
        <source>Example in Korean</source>
        <translation>한국어 예문</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>멈추기</translation>
    </message>
    <message>
        <source>Open the page of a head</source>
        <translation>헤드 페이지 열기</translation>
    </message>
    <message>
        <source>Which column is which?</source>
        <translation>어느 열이 무엇인가요?</translation>
    </message>
    <message>
        <source>Measure these columns</source>
        <translation>이 열들로 재기</translation>
    </message>
    <message>
        <source>A few sentences that come with the program: they show how it works</source>
        <translation>프로그램에 들어 있는 문장 몇 개로 쓰는 법을 보여 줍니다</translation>
    </message>
    <message>
        <source>What is measured stays saved: the same file goes on from there</source>
        <translation>잰 것은 저장되어 있습니다. 같은 파일을 열면 거기서 이어집니다</translation>
    </message>
    <message>
        <source>It compares the checkpoints of A and B.</source>
        <translation>A와 B의 체크포인트를 비교합니다.</translation>
    </message>
    <message>
        <source>Measuring {0}: {1}</source>
        <translation>{0} 재는 중: {1}</translation>
    </message>
    <message>
        <source>Measuring {0} …</source>
        <translation>{0} 재는 중 …</translation>
    </message>
    <message>
        <source>{0}: {1} of {2} lines measured by {3}; saved as {4}</source>
        <translation>{0}: {2}줄 가운데 {1}줄을 쟀습니다({3}). 저장한 파일: {4}</translation>
    </message>
    <message>
        <source>It reads a text a line, or a column of a table; rows with labels, too.</source>
        <translation>한 줄에 글 하나인 파일이나 표의 한 열을 읽습니다. 레이블이 있는 행도 읽습니다.</translation>
    </message>
    <message>
        <source>It reads rows of a text with its label.</source>
        <translation>글과 레이블로 된 행을 읽습니다.</translation>
    </message>
    <message>
        <source>It reads rows of two texts.</source>
        <translation>글 두 개로 된 행을 읽습니다.</translation>
    </message>
    <message>
        <source>It reads parsed sentences (CoNLL-U).</source>
        <translation>구문 분석된 문장(CoNLL-U)을 읽습니다.</translation>
    </message>
    <message>
        <source>It reads sentences whose words are labelled.</source>
        <translation>낱말마다 레이블이 붙은 문장을 읽습니다.</translation>
    </message>
    <message>
        <source>It reads rows of a text with a mention and its antecedent.</source>
        <translation>글과 멘션, 그 선행사로 된 행을 읽습니다.</translation>
    </message>
</context>
<context>
    <name>SumPicture</name>
    <message>
        <source>row {0}</source>
        <translation>{0}행</translation>
    </message>
    <message>
        <source>token</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>세그먼트</translation>
    </message>
    <message>
        <source>position</source>
        <translation>위치</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>합</translation>
    </message>
    <message>
        <source>Each token: three rows of {0} numbers fall into one vector of {0} numbers</source>
        <translation>토큰마다 수 {0}개짜리 행 세 개가 수 {0}개짜리 벡터 하나로 더해집니다</translation>
    </message>
</context>
<context>
    <name>TableQuestion</name>
    <message>
        <source>Label</source>
        <translation>레이블</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>둘째 글</translation>
    </message>
    <message>
        <source>Column of the texts</source>
        <translation>글이 든 열</translation>
    </message>
    <message>
        <source>Separator</source>
        <translation>구분자</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>인코딩</translation>
    </message>
    <message>
        <source>The labels are</source>
        <translation>레이블의 종류</translation>
    </message>
    <message>
        <source>The first rows</source>
        <translation>첫 행들</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>고르세요 …</translation>
    </message>
    <message>
        <source>0 or 1 each: {0}</source>
        <translation>각각 0 또는 1: {0}</translation>
    </message>
    <message>
        <source>classes of texts</source>
        <translation>글의 클래스</translation>
    </message>
    <message>
        <source>numbers of texts</source>
        <translation>글의 수치</translation>
    </message>
    <message>
        <source>of words or characters</source>
        <translation>단어나 글자의 레이블</translation>
    </message>
    <message>
        <source>several labels a text</source>
        <translation>글 하나에 레이블 여러 개</translation>
    </message>
    <message>
        <source>as the content shows</source>
        <translation>내용에 따라</translation>
    </message>
    <message>
        <source>found: {0}</source>
        <translation>찾은 값: {0}</translation>
    </message>
    <message>
        <source>Column {0}</source>
        <translation>{0}열</translation>
    </message>
</context>
<context>
    <name>TableView</name>
    <message>
        <source>Result of the analysis</source>
        <translation>분석 결과</translation>
    </message>
    <message>
        <source>Find in the table …</source>
        <translation>표에서 찾기 …</translation>
    </message>
    <message>
        <source>The first {0} rows; a file has all of them.</source>
        <translation>처음 {0}행입니다. 파일에는 모두 저장됩니다.</translation>
    </message>
    <message>
        <source>The result has no rows.</source>
        <translation>결과에 행이 없습니다.</translation>
    </message>
</context>
<context>
    <name>TaskBox</name>
    <message>
        <source>Hint</source>
        <translation>힌트</translation>
    </message>
    <message>
        <source>Show the answer</source>
        <translation>답 보기</translation>
    </message>
    <message>
        <source>Show that head again</source>
        <translation>그 헤드 다시 보기</translation>
    </message>
    <message>
        <source>Keys: ← → to a token, then Enter.</source>
        <translation>키보드: ← →로 토큰을 고르고 Enter를 누릅니다.</translation>
    </message>
    <message>
        <source>Keys: arrows to a head, then Enter.</source>
        <translation>키보드: 화살표로 헤드를 고르고 Enter를 누릅니다.</translation>
    </message>
    <message>
        <source>Right.</source>
        <translation>맞습니다.</translation>
    </message>
    <message>
        <source>Done.</source>
        <translation>됐습니다.</translation>
    </message>
    <message>
        <source>Not yet. {0}</source>
        <translation>아직 아닙니다. {0}</translation>
    </message>
    <message>
        <source>Not yet: {0} of {1} numbers are right. The others are marked.</source>
        <translation>아직 아닙니다. 수 {1}개 중 {0}개가 맞습니다. 나머지에 표시가 있습니다.</translation>
    </message>
    <message>
        <source>Not yet. Try again, or take the hint.</source>
        <translation>아직 아닙니다. 다시 해 보거나 힌트를 보세요.</translation>
    </message>
    <message>
        <source>Not yet: the right number is larger. Try again, or take the hint.</source>
        <translation>아직 아닙니다. 정답은 더 큰 수입니다. 다시 해 보거나 힌트를 보세요.</translation>
    </message>
    <message>
        <source>Not yet: the right number is smaller. Try again, or take the hint.</source>
        <translation>아직 아닙니다. 정답은 더 작은 수입니다. 다시 해 보거나 힌트를 보세요.</translation>
    </message>
    <message>
        <source>Not yet: only the sign is wrong.</source>
        <translation>아직 아닙니다. 부호만 틀렸습니다.</translation>
    </message>
    <message>
        <source>Not yet: {0} of {1} are where they belong. Move the others, or take the hint.</source>
        <translation>아직 아닙니다. {1}개 중 {0}개가 제자리에 있습니다. 나머지를 옮기거나 힌트를 보세요.</translation>
    </message>
    <message>
        <source>Not yet: “{0}” has {1}, rank {2} of {3}. Try again, or take the hint.</source>
        <translation>아직 아닙니다. ‘{0}’: {1}, 전체 {3}개 중 {2}위입니다. 다시 해 보거나 힌트를 보세요.</translation>
    </message>
    <message>
        <source>This question is about layer {0}, head {1}, but another head is shown now.</source>
        <translation>이 질문은 레이어 {0}, 헤드 {1}에 관한 것인데, 지금은 다른 헤드가 보입니다.</translation>
    </message>
    <message>
        <source>The analysis has no result yet: wait until it is computed.</source>
        <translation>분석 결과가 아직 없습니다. 계산이 끝날 때까지 기다리세요.</translation>
    </message>
    <message>
        <source>The numbers come when both trainings are done: wait for the two bars.</source>
        <translation>두 학습이 모두 끝나야 수가 나옵니다. 두 막대가 다 찰 때까지 기다리세요.</translation>
    </message>
    <message>
        <source>Nothing is trained yet, so there are no numbers. Press “{0}” first.</source>
        <translation>아직 학습하지 않아서 수가 없습니다. 먼저 ‘{0}’ 단추를 누르세요.</translation>
    </message>
    <message>
        <source>Your sentence has no answer to this: the tokens of the task are not in it. “{0}” brings back the sentence of the station.</source>
        <translation>입력한 문장에는 이 과제의 토큰이 없어 답이 없습니다. “{0}” 단추를 누르면 장면의 문장으로 돌아갑니다.</translation>
    </message>
    <message>
        <source>The answer: {0}.</source>
        <translation>답: {0}.</translation>
    </message>
</context>
<context>
    <name>TeacherWindow</name>
    <message>
        <source>{0} · for the teacher</source>
        <translation>{0} · 교사용</translation>
    </message>
    <message>
        <source>This station has no notes.</source>
        <translation>이 장면에는 메모가 없습니다.</translation>
    </message>
    <message>
        <source>Next: {0}</source>
        <translation>다음: {0}</translation>
    </message>
    <message>
        <source>Last station. The end of the lesson comes next.</source>
        <translation>마지막 장면입니다. 다음은 수업의 끝입니다.</translation>
    </message>
    <message>
        <source>The end of the lesson (Page Down)</source>
        <translation>수업의 끝 (Page Down)</translation>
    </message>
    <message>
        <source>Teacher&apos;s notes</source>
        <translation>교사용 메모</translation>
    </message>
    <message>
        <source>Task and answer</source>
        <translation>과제와 정답</translation>
    </message>
    <message>
        <source>Reveal the answer</source>
        <translation>답 공개</translation>
    </message>
    <message>
        <source>Black screen</source>
        <translation>검은 화면</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>이전</translation>
    </message>
    <message>
        <source>Show the class which answer is right (Shift+R)</source>
        <translation>학생들에게 맞는 답을 보여 줍니다 (Shift+R)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>Nothing to look at, until a key is pressed (B)</source>
        <translation>키를 누를 때까지 화면을 검게 합니다 (B)</translation>
    </message>
    <message>
        <source>The station before (Page Up)</source>
        <translation>이전 장면 (Page Up)</translation>
    </message>
    <message>
        <source>The next station (Page Down)</source>
        <translation>다음 장면 (Page Down)</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>마치기</translation>
    </message>
    <message>
        <source>Stations of the lesson</source>
        <translation>수업의 장면</translation>
    </message>
</context>
<context>
    <name>Terms</name>
    <message>
        <source>F1: more about it</source>
        <translation>F1: 더 알아보기</translation>
    </message>
    <message>
        <source>What is this? {0}</source>
        <translation>설명: {0}</translation>
    </message>
</context>
<context>
    <name>TextRemark</name>
    <message>
        <source>{0} left out</source>
        <translation>{0}개 빠짐</translation>
    </message>
    <message>
        <source>{0} of {1} words unknown</source>
        <translation>단어 {1}개 중 {0}개 모름</translation>
    </message>
    <message>
        <source>{0} invisible dropped</source>
        <translation>보이지 않는 문자 {0}개 제외</translation>
    </message>
    <message>
        <source>hardly trained from {0} on</source>
        <translation>위치 {0}부터 학습 부족</translation>
    </message>
</context>
<context>
    <name>TitleRow</name>
    <message>
        <source>Previous step (←)</source>
        <translation>이전 단계 (←)</translation>
    </message>
    <message>
        <source>Next step (→)</source>
        <translation>다음 단계 (→)</translation>
    </message>
    <message>
        <source>Play the stops one after the other, or pause (space)</source>
        <translation>단계를 차례로 재생하거나 멈춥니다 (스페이스)</translation>
    </message>
    <message>
        <source>Play the next stop, then pause</source>
        <translation>다음 단계를 재생하고 멈춥니다</translation>
    </message>
    <message>
        <source>How fast the stops are played</source>
        <translation>재생 속도</translation>
    </message>
    <message>
        <source>Walk</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>Every stage as a picture</source>
        <translation>단계마다 그림으로 봅니다</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>표</translation>
    </message>
    <message>
        <source>query, key, product, weight and value as a table</source>
        <translation>쿼리, 키, 내적, 가중치, 값을 표로 봅니다</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>코드</translation>
    </message>
    <message>
        <source>The lines of PyTorch that compute each stage</source>
        <translation>각 단계를 계산하는 PyTorch 코드</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0}/{1}</translation>
    </message>
</context>
<context>
    <name>TokenStrip</name>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>{0} Attention sink in layer {1}: it receives at least {2} times the mean attention there, and its value vectors are at most {3} times as long as those of other tokens. So most of that attention changes little. (The rule is this program&apos;s own.)</source>
        <translation>{0} 레이어 {1}의 어텐션 싱크: 그 레이어 평균의 {2}배 이상인 어텐션을 받지만, 값 벡터의 길이는 다른 토큰의 {3}배를 넘지 않습니다. 그래서 그 어텐션의 대부분은 결과를 거의 바꾸지 않습니다. (이 기준은 이 프로그램이 정한 것입니다.)</translation>
    </message>
    <message>
        <source>token</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>query</source>
        <translation>쿼리</translation>
    </message>
    <message>
        <source>key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>세그먼트</translation>
    </message>
    <message>
        <source>position</source>
        <translation>위치</translation>
    </message>
    <message>
        <source>1 token left out</source>
        <translation>토큰 1개 빠짐</translation>
    </message>
    <message>
        <source>{0} tokens left out</source>
        <translation>토큰 {0}개 빠짐</translation>
    </message>
</context>
<context>
    <name>TokensPage</name>
    <message>
        <source>Hidden states of all tokens, a strip each</source>
        <translation>모든 토큰의 은닉 상태, 토큰마다 한 줄</translation>
    </message>
    <message>
        <source>{0} · dimension {1}</source>
        <translation>{0} · 차원 {1}</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>The checkpoint: choose another one, open a folder, or name one on the hub</source>
        <translation>체크포인트: 다른 것을 고르거나, 폴더를 열거나, 허브의 이름을 입력합니다</translation>
    </message>
    <message>
        <source>Where the encoder runs</source>
        <translation>인코더를 실행할 장치</translation>
    </message>
    <message>
        <source>Type a sentence …</source>
        <translation>문장을 입력하세요 …</translation>
    </message>
    <message>
        <source>A second sentence …</source>
        <translation>둘째 문장 …</translation>
    </message>
    <message>
        <source>Sentence 1</source>
        <translation>문장 1</translation>
    </message>
    <message>
        <source>Sentence 2</source>
        <translation>문장 2</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>+ Sentence 2</source>
        <translation>+ 문장 2</translation>
    </message>
    <message>
        <source>Add sentence 2: the model reads both as one pair (Ctrl+B)</source>
        <translation>문장 2를 더합니다. 모델은 두 문장을 한 쌍으로 읽습니다 (Ctrl+B)</translation>
    </message>
    <message>
        <source>Compare with a second run: other texts, another checkpoint, edits (Ctrl+Shift+C)</source>
        <translation>둘째 실행과 비교: 다른 문장, 다른 체크포인트, 편집 (Ctrl+Shift+C)</translation>
    </message>
    <message>
        <source>All commands and their keys (Ctrl+K)</source>
        <translation>모든 명령과 단축키 (Ctrl+K)</translation>
    </message>
    <message>
        <source>Recent texts, checkpoints and files (Ctrl+R)</source>
        <translation>최근 문장, 체크포인트, 파일 (Ctrl+R)</translation>
    </message>
    <message>
        <source>Recent texts</source>
        <translation>최근 문장</translation>
    </message>
    <message>
        <source>Everything the program can do</source>
        <translation>프로그램의 모든 기능</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>메뉴</translation>
    </message>
</context>
<context>
    <name>Training</name>
    <message>
        <source>Making the vocabulary …</source>
        <translation>어휘를 만드는 중 …</translation>
    </message>
    <message>
        <source>Opening the checkpoint …</source>
        <translation>체크포인트를 여는 중 …</translation>
    </message>
    <message>
        <source>Reading the rows …</source>
        <translation>행을 읽는 중 …</translation>
    </message>
    <message>
        <source>Reading the texts …</source>
        <translation>글을 읽는 중 …</translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation>시작하는 중 …</translation>
    </message>
    <message>
        <source>Pausing after this step …</source>
        <translation>이 스텝을 마치고 일시 정지합니다 …</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Stopping; the run is being saved …</source>
        <translation>중지하고 저장하는 중 …</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습 중</translation>
    </message>
    <message>
        <source>Stopped; it can be resumed</source>
        <translation>중지됨. 이어서 할 수 있습니다</translation>
    </message>
    <message>
        <source>Could not start</source>
        <translation>시작하지 못함</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>the default checkpoint</source>
        <translation>기본 체크포인트</translation>
    </message>
    <message>
        <source>fine-tunes {0}</source>
        <translation>{0} 미세 조정</translation>
    </message>
    <message>
        <source>trains {0} further</source>
        <translation>{0} 추가 학습</translation>
    </message>
    <message>
        <source>{0} layers × {1} heads, width {2}</source>
        <translation>레이어 {0}개 × 헤드 {1}개, 너비 {2}</translation>
    </message>
</context>
<context>
    <name>TrainingBox</name>
    <message>
        <source>Train both</source>
        <translation>둘 다 학습</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Train again</source>
        <translation>다시 학습</translation>
    </message>
    <message>
        <source>not trained yet</source>
        <translation>아직 학습하지 않음</translation>
    </message>
    <message>
        <source>training rows {0:.1f} % · held-out rows {1:.1f} % · baseline {2:.1f} %</source>
        <translation>학습 데이터 {0:.1f} % · 검증용 {1:.1f} % · 기준선 {2:.1f} %</translation>
    </message>
    <message>
        <source>starting …</source>
        <translation>시작하는 중 …</translation>
    </message>
    <message>
        <source>right in this step: {0:.0f} %</source>
        <translation>이번 스텝의 정확도: {0:.0f} %</translation>
    </message>
</context>
<context>
    <name>TrainingController</name>
    <message>
        <source>A training is still running. Quit anyway?</source>
        <translation>학습이 진행 중입니다. 종료할까요?</translation>
    </message>
    <message>
        <source>It cannot go on without the window. What it has learned is saved and can be resumed.</source>
        <translation>창을 닫으면 학습을 계속할 수 없습니다. 지금까지 학습한 내용은 저장되며 나중에 이어서 할 수 있습니다.</translation>
    </message>
    <message>
        <source>Stop, keep the last snapshot</source>
        <translation>학습을 멈추고 마지막 상태 저장</translation>
    </message>
    <message>
        <source>Keep training</source>
        <translation>학습 계속하기</translation>
    </message>
    <message>
        <source>There are no curves yet: they can be saved once a training runs.</source>
        <translation>아직 곡선이 없습니다. 학습을 시작하면 저장할 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>TrainingFormView</name>
    <message>
        <source>Folder of the model</source>
        <translation>모델 폴더</translation>
    </message>
    <message>
        <source>Pre-train on texts</source>
        <translation>글로 사전 학습</translation>
    </message>
    <message>
        <source>Sentence to watch during training</source>
        <translation>학습하는 동안 지켜볼 문장</translation>
    </message>
    <message>
        <source>A new model, trained from scratch</source>
        <translation>무작위 가중치에서 시작해 처음부터 학습하는 새 모델입니다</translation>
    </message>
    <message>
        <source>Fine-tune on labelled data</source>
        <translation>레이블 데이터로 미세 조정</translation>
    </message>
    <message>
        <source>A classifier that starts from the checkpoint of run A</source>
        <translation>실행 A의 체크포인트에서 시작하는 분류기입니다</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Redraw the heads every</source>
        <translation>헤드를 다시 그리는 간격</translation>
    </message>
    <message>
        <source>Choose the folder</source>
        <translation>폴더 고르기</translation>
    </message>
    <message>
        <source>Start the training</source>
        <translation>학습 시작</translation>
    </message>
</context>
<context>
    <name>TrainingPage</name>
    <message>
        <source>Train a model</source>
        <translation>모델 학습</translation>
    </message>
    <message>
        <source>What you will see</source>
        <translation>무엇을 보게 되나요</translation>
    </message>
    <message>
        <source>Its heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Back to the heads (training continues)</source>
        <translation>헤드 화면으로 돌아가기 (학습은 계속됩니다)</translation>
    </message>
    <message>
        <source>A recorded training</source>
        <translation>기록해 둔 학습</translation>
    </message>
    <message>
        <source>Train on {0}</source>
        <translation>이 파일로 학습: {0}</translation>
    </message>
    <message>
        <source>Training data</source>
        <translation>학습 데이터</translation>
    </message>
    <message>
        <source>Held-out data</source>
        <translation>검증 데이터</translation>
    </message>
    <message>
        <source>Masked tokens</source>
        <translation>가린 토큰</translation>
    </message>
    <message>
        <source>Next sentence</source>
        <translation>다음 문장</translation>
    </message>
    <message>
        <source>Pearson</source>
        <translation>피어슨</translation>
    </message>
    <message>
        <source>Spearman</source>
        <translation>스피어만</translation>
    </message>
    <message>
        <source>Micro F1</source>
        <translation>마이크로 F1</translation>
    </message>
    <message>
        <source>Macro F1</source>
        <translation>매크로 F1</translation>
    </message>
    <message>
        <source>F1 of the spans</source>
        <translation>구간의 F1</translation>
    </message>
    <message>
        <source>Baseline: most frequent label</source>
        <translation>기준선: 가장 흔한 레이블만 답할 때</translation>
    </message>
    <message>
        <source>Baseline: most frequent token</source>
        <translation>기준선: 가장 흔한 토큰만 답할 때</translation>
    </message>
    <message>
        <source>Next sentence by chance</source>
        <translation>다음 문장: 무작위로 답할 때</translation>
    </message>
    <message>
        <source>Accuracy of words</source>
        <translation>단어 정확도</translation>
    </message>
    <message>
        <source>Accuracy of characters</source>
        <translation>글자 정확도</translation>
    </message>
</context>
<context>
    <name>TrainingPicture</name>
    <message>
        <source>While learning: loss</source>
        <translation>학습하는 동안: 손실</translation>
    </message>
    <message>
        <source>Afterwards: how much is right</source>
        <translation>학습한 뒤: 맞힌 비율</translation>
    </message>
    <message>
        <source>Accuracy of both trainings over the steps</source>
        <translation>스텝에 따른 두 학습의 정확도</translation>
    </message>
    <message>
        <source>Loss of both trainings over the steps</source>
        <translation>스텝에 따른 두 학습의 손실</translation>
    </message>
    <message>
        <source>The four accuracies</source>
        <translation>네 가지 정확도</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>guessing: 50 %</source>
        <translation>찍으면 50 %</translation>
    </message>
    <message>
        <source>always the same answer: {0}</source>
        <translation>늘 같은 답: {0}</translation>
    </message>
    <message>
        <source>Both are learning. Their test on new rows comes at the end.</source>
        <translation>둘 다 학습하고 있습니다. 새 데이터로 하는 평가는 마지막에 합니다.</translation>
    </message>
    <message>
        <source>On rows that they have not seen, one is right on {0}, the other on {1}.</source>
        <translation>보지 못한 데이터에서 하나는 {0}, 다른 하나는 {1} 맞힙니다.</translation>
    </message>
    <message>
        <source>While learning: right on the rows seen</source>
        <translation>학습하는 동안: 학습 데이터의 정확도</translation>
    </message>
    <message>
        <source>Nothing is trained yet: both would guess. Press the button in the lesson.</source>
        <translation>아직 학습하지 않아 둘 다 찍는 것과 같습니다. 수업의 단추를 누르세요.</translation>
    </message>
    <message>
        <source>guessing</source>
        <translation>찍기</translation>
    </message>
    <message>
        <source>{0}: seen</source>
        <translation>{0}: 학습</translation>
    </message>
    <message>
        <source>{0}: new</source>
        <translation>{0}: 새 글</translation>
    </message>
</context>
<context>
    <name>TrainingRunsView</name>
    <message>
        <source>Trainings on this computer</source>
        <translation>이 컴퓨터의 학습</translation>
    </message>
    <message>
        <source>Add texts and start the training. The model learns to predict masked tokens, and whether one sentence follows another, as BERT did.</source>
        <translation>글을 추가하고 학습을 시작합니다. 모델은 BERT가 그랬듯이 가린 토큰을 맞히고, 한 문장이 다른 문장에 이어지는지 맞히는 법을 배웁니다.</translation>
    </message>
    <message>
        <source>During training you see its losses fall and, on a sentence of yours, its heads take form. You can use the rest of the window meanwhile.</source>
        <translation>학습하는 동안 손실이 줄어들고, 지켜볼 문장에서 헤드가 모양을 갖추는 것이 보입니다. 그동안 창의 다른 곳을 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>The model is saved as it learns: a training can be stopped and resumed.</source>
        <translation>모델은 학습하는 동안 저장되므로 멈췄다가 이어서 학습할 수 있습니다.</translation>
    </message>
    <message>
        <source>Fine-tuning teaches a model to predict the labels of texts; how its heads change is seen beside the checkpoint that it started from.</source>
        <translation>미세 조정을 하면 모델이 글의 레이블을 가려내는 법을 배웁니다. 헤드가 어떻게 달라지는지는 처음의 체크포인트와 나란히 보입니다.</translation>
    </message>
    <message>
        <source>View</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 하기</translation>
    </message>
    <message>
        <source>done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>not started</source>
        <translation>시작 전</translation>
    </message>
    <message>
        <source>step {0}, {1}</source>
        <translation>스텝 {0}, {1}</translation>
    </message>
</context>
<context>
    <name>TrainingStatus</name>
    <message>
        <source>The training “{0}” was saved and can be resumed</source>
        <translation>저장된 학습 ‘{0}’ · 이어서 할 수 있습니다</translation>
    </message>
    <message>
        <source>Training: {0}</source>
        <translation>학습: {0}</translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation>{0} 남음</translation>
    </message>
</context>
<context>
    <name>TuningFields</name>
    <message>
        <source>Training data</source>
        <translation>학습 데이터</translation>
    </message>
    <message>
        <source>Evaluation data</source>
        <translation>평가 데이터</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>고르기 …</translation>
    </message>
    <message>
        <source>Leave out: {0}</source>
        <translation>빼기: {0}</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>TSV, CSV, JSON, Parquet or Excel: a label and a text, or two texts, in each row; CoNLL or KLUE-NER: a label for each word or character</source>
        <translation>TSV, CSV, JSON, Parquet, 엑셀: 한 행에 레이블과 글 하나 또는 둘. CoNLL, KLUE-NER: 단어나 글자마다 레이블</translation>
    </message>
    <message>
        <source>Number of passes over the training data</source>
        <translation>학습 데이터를 모두 읽는 횟수입니다</translation>
    </message>
    <message>
        <source>Only the pooler and the classifier are trained; every head stays unchanged</source>
        <translation>풀러와 분류기만 학습합니다. 헤드는 모두 그대로입니다</translation>
    </message>
    <message>
        <source>a tenth of the data, held out</source>
        <translation>데이터의 10분의 1을 따로 둠</translation>
    </message>
    <message>
        <source>Highest learning rate</source>
        <translation>최고 학습률</translation>
    </message>
    <message>
        <source>Freeze the encoder</source>
        <translation>인코더 고정</translation>
    </message>
    <message>
        <source>none yet; drop a file here</source>
        <translation>아직 없음. 파일을 여기에 놓으세요</translation>
    </message>
</context>
<context>
    <name>TypedQuestion</name>
    <message>
        <source>Choose a tokenizer folder …</source>
        <translation>토크나이저 폴더 고르기 …</translation>
    </message>
    <message>
        <source>Choose the folder of a tokenizer</source>
        <translation>토크나이저가 든 폴더 고르기</translation>
    </message>
</context>
<context>
    <name>VectorPlot</name>
    <message>
        <source>Values of the vector, one bar each</source>
        <translation>벡터의 값, 값마다 막대 하나</translation>
    </message>
    <message>
        <source>The pooler&apos;s output, or else the last hidden state of [CLS]</source>
        <translation>풀러의 출력, 풀러가 없으면 [CLS]의 마지막 은닉 상태</translation>
    </message>
    <message>
        <source>The sentence vector, as sentence-transformers computes it</source>
        <translation>sentence-transformers가 계산하는 문장 벡터</translation>
    </message>
    <message>
        <source>Pooled</source>
        <translation>풀링</translation>
    </message>
    <message>
        <source>Sentence</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Which vector is shown</source>
        <translation>보여 줄 벡터</translation>
    </message>
    <message>
        <source>{0} values, from {1} to {2}</source>
        <translation>값 {0}개, {1}부터 {2}까지</translation>
    </message>
</context>
<context>
    <name>VectorsView</name>
    <message>
        <source>{0} in every layer, and the pooled vector</source>
        <translation>모든 레이어의 {0} 벡터, 그리고 풀링 벡터</translation>
    </message>
    <message>
        <source>Cosine similarity of each pair of tokens at a layer</source>
        <translation>한 레이어에서 토큰 쌍마다 잰 코사인 유사도</translation>
    </message>
    <message>
        <source>The sentences tried so far, side by side</source>
        <translation>지금까지 입력한 문장을 나란히 봅니다</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>The hidden states of all tokens at a layer</source>
        <translation>한 레이어에서 모든 토큰의 은닉 상태</translation>
    </message>
    <message>
        <source>A row is a vector, a stripe one of its numbers: orange above zero, grey below.</source>
        <translation>행 하나가 벡터이고 줄 하나가 수입니다. 주황은 0보다 큰 수, 회색은 0보다 작은 수입니다.</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>The tokens on a plane, by principal components</source>
        <translation>주성분 평면 위의 토큰</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>유사도</translation>
    </message>
    <message>
        <source>Shelf</source>
        <translation>보관함</translation>
    </message>
    <message>
        <source>Which vectors are shown</source>
        <translation>보일 벡터</translation>
    </message>
    <message>
        <source>The vectors of these checkpoints have {0} and {1} dimensions, so that they cannot be subtracted.</source>
        <translation>두 체크포인트의 벡터는 {0}차원과 {1}차원이어서 차이를 구할 수 없습니다.</translation>
    </message>
</context>
<context>
    <name>ViewBox</name>
    <message>
        <source>View All</source>
        <translation>전체 보기</translation>
    </message>
    <message>
        <source>axis</source>
        <translation>축</translation>
    </message>
    <message>
        <source>Mouse Mode</source>
        <translation>마우스 모드</translation>
    </message>
    <message>
        <source>3 button</source>
        <translation>버튼 3개</translation>
    </message>
    <message>
        <source>1 button</source>
        <translation>버튼 1개</translation>
    </message>
</context>
<context>
    <name>WaitingBar</name>
    <message>
        <source>Cancel the computation</source>
        <translation>계산 취소</translation>
    </message>
</context>
<context>
    <name>WatchView</name>
    <message>
        <source>All its heads appear here with the first step, and change as it learns.</source>
        <translation>첫 스텝부터 모든 헤드가 여기에 나타나고, 배우면서 바뀝니다.</translation>
    </message>
    <message>
        <source>Sentence that is watched</source>
        <translation>지켜보는 문장</translation>
    </message>
    <message>
        <source>Another sentence: press Enter to watch it from the next step on</source>
        <translation>다른 문장: Enter를 누르면 다음 스텝부터 지켜봅니다</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>스텝 {0}</translation>
    </message>
</context>
<context>
    <name>WatchedHead</name>
    <message>
        <source>Lines</source>
        <translation>연결선</translation>
    </message>
    <message>
        <source>Draw the head as lines</source>
        <translation>헤드를 연결선으로 그리기</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>행렬</translation>
    </message>
    <message>
        <source>Draw the head as a matrix</source>
        <translation>헤드를 행렬로 그리기</translation>
    </message>
    <message>
        <source>Layer {0} · Head {1}</source>
        <translation>레이어 {0} · 헤드 {1}</translation>
    </message>
</context>
<context>
    <name>WhyCut</name>
    <message>
        <source>Typed: {0}</source>
        <translation>입력: {0}</translation>
    </message>
    <message>
        <source>It is a token of its own, found whole before anything is split.</source>
        <translation>그 자체로 한 토큰이며, 글을 나누기 전에 통째로 찾습니다.</translation>
    </message>
    <message>
        <source>Normalised: unchanged</source>
        <translation>정규화: 그대로</translation>
    </message>
    <message>
        <source>Normalised: {0}</source>
        <translation>정규화: {0}</translation>
    </message>
    <message>
        <source>Removing accents takes Hangul syllables apart into their letters (jamo): {0}</source>
        <translation>악센트를 없애면서 한글 음절이 자모로 풀립니다: {0}</translation>
    </message>
    <message>
        <source>Word that is looked up: {0}</source>
        <translation>찾아볼 단어: {0}</translation>
    </message>
    <message>
        <source>It begins as: {0}</source>
        <translation>처음 상태: {0}</translation>
    </message>
    <message>
        <source>Rule {0}: {1} + {2} gives {3}</source>
        <translation>규칙 {0}: {1} + {2} → {3}</translation>
    </message>
    <message>
        <source>No rule joins any.</source>
        <translation>합치는 규칙이 없습니다.</translation>
    </message>
    <message>
        <source>Of all ways to cut it, this one has the largest sum of scores, {0}:</source>
        <translation>자르는 모든 방법 가운데 점수의 합이 가장 큰 것입니다({0}):</translation>
    </message>
    <message>
        <source>Pieces: {0}</source>
        <translation>조각: {0}</translation>
    </message>
    <message>
        <source>It has more characters than this tokenizer looks up: it is unknown.</source>
        <translation>토크나이저가 찾아보는 글자 수보다 길어서 모르는 단어가 됩니다.</translation>
    </message>
    <message>
        <source>The longest piece from the left is taken, then the longest of the rest:</source>
        <translation>왼쪽에서부터 가장 긴 조각을 고르고, 남은 부분에서 다시 가장 긴 것을 고릅니다:</translation>
    </message>
    <message>
        <source>found</source>
        <translation>있음</translation>
    </message>
    <message>
        <source>not in the vocabulary</source>
        <translation>어휘에 없음</translation>
    </message>
    <message>
        <source>… {0} more …</source>
        <translation>… {0}개 더 …</translation>
    </message>
</context>
<context>
    <name>WhyCutNote</name>
    <message>
        <source>Why is it cut here?</source>
        <translation>왜 여기서 잘렸나요?</translation>
    </message>
    <message>
        <source>The steps of this word cannot be shown: its tokenizer splits texts in code of its own, or the letters around the word changed what it is.</source>
        <translation>이 단어의 단계는 보일 수 없습니다. 토크나이저가 자체 코드로 글을 나누거나, 주변 글자에 따라 단어가 달라졌습니다.</translation>
    </message>
</context>
<context>
    <name>WindowFrame</name>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Encoding the text … {0}</source>
        <translation>문장 인코딩 중 … {0}</translation>
    </message>
    <message>
        <source>The text was not encoded.</source>
        <translation>문장을 인코딩하지 않았습니다.</translation>
    </message>
    <message>
        <source>Encode it</source>
        <translation>인코딩하기</translation>
    </message>
    <message>
        <source>Downloading {0} …</source>
        <translation>{0} 내려받는 중 …</translation>
    </message>
    <message>
        <source>Opening {0} …</source>
        <translation>{0} 여는 중 …</translation>
    </message>
    <message>
        <source>the checkpoint</source>
        <translation>체크포인트</translation>
    </message>
    <message>
        <source>There can be six panels. Close one to add another.</source>
        <translation>패널은 여섯 개까지입니다. 하나를 닫고 추가하세요.</translation>
    </message>
</context>
<context>
    <name>WordsView</name>
    <message>
        <source>Attention as arcs above the words</source>
        <translation>단어 위에 호로 그린 어텐션</translation>
    </message>
    <message>
        <source>Layer {0}</source>
        <translation>레이어 {0}</translation>
    </message>
    <message>
        <source>{0}; the others {1} on average</source>
        <translation>{0}, 다른 토큰은 평균 {1}</translation>
    </message>
    <message>
        <source>An arc leads from a token to one that it looks at: the wider, the more attention.</source>
        <translation>호는 한 토큰에서 그 토큰이 보는 토큰으로 이어집니다. 굵을수록 어텐션이 큽니다.</translation>
    </message>
    <message>
        <source>What the token looks at in each layer, on the mean of its heads.</source>
        <translation>토큰이 레이어마다 무엇을 보는지, 헤드들의 평균으로 그렸습니다.</translation>
    </message>
</context>
<context>
    <name>_Files</name>
    <message>
        <source>Leave out {0}</source>
        <translation>{0} 빼기</translation>
    </message>
</context>
<context>
    <name>_RunRow</name>
    <message>
        <source>A − B of {0} in every head</source>
        <translation>모든 헤드에서 {0}의 A − B</translation>
    </message>
    <message>
        <source>All heads of</source>
        <translation>모든 헤드:</translation>
    </message>
    <message>
        <source>Show how much more weight every head gives this pair in A than in B (Shift+P)</source>
        <translation>이 토큰 쌍의 가중치가 B보다 A에서 얼마나 큰지 헤드마다 표시합니다 (Shift+P)</translation>
    </message>
    <message>
        <source>All heads of run A</source>
        <translation>실행 A의 모든 헤드</translation>
    </message>
    <message>
        <source>All heads of run B</source>
        <translation>실행 B의 모든 헤드</translation>
    </message>
    <message>
        <source>How far each head of run A is from the same head of run B</source>
        <translation>실행 A의 헤드마다 실행 B의 같은 헤드와 얼마나 다른지</translation>
    </message>
</context>
</TS>
