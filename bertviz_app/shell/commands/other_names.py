"""`OTHER_NAMES`: words that people type for a command whose name has none of them, in both languages."""

from __future__ import annotations

from types import MappingProxyType

OTHER_NAMES = MappingProxyType(
    {
        "Preferences …": "settings options 설정 환경설정 옵션",
        "Quit": "exit 나가기 끝내기",
        "Edit sentence 1": "text input type 문장 입력",
        "Add or edit sentence 2": "pair second segment 문장 쌍 두 번째",
        "Remove sentence 2": "delete pair 삭제 지우기",
        "Choose a checkpoint": "model weights 모델 가중치",
        "Open a checkpoint folder …": "model weights load local 모델 가중치 불러오기",
        "Open a file of weights …": "model load safetensors pytorch 모델 불러오기",
        "Open a checkpoint from the hub …": "model huggingface hugging face download 허깅페이스 다운로드",
        "Train a model …": (
            "training pretraining pre-training finetuning fine-tuning 훈련 사전 학습 파인튜닝 미세 조정"
        ),
        "This head over a corpus": "examples sentences dossier notes head page 헤드 예문 메모 말뭉치",
        "Add the panel's picture to the notes about its head": "evidence dossier picture 증거 그림 메모",
        "A training over time …": "checkpoints history steps slider revisions 학습 체크포인트 시간 단계",
        "Heads over a corpus …": "many sentences file dataset statistics 여러 문장 파일 데이터셋 통계",
        "Choose a device": "gpu cuda threads precision float32 bfloat16 정밀도",
        "Recent texts": "history 기록",
        "Clear recent texts and files": "history delete 기록 삭제",
        "Reset the layout": "panels default arrangement 패널 배치 기본값",
        "Larger text": "bigger font size 글꼴 글씨 크게",
        "Smaller text": "font size 글꼴 글씨 작게",
        "Reset text size": "font default 글꼴 글씨 기본값",
        "Switch between light and dark": "theme dark mode night colours colors 테마 다크 모드",
        "Use the system theme": "dark mode colours colors 테마 다크 모드",
        "English": "language 언어 영어",
        "한국어 (Korean)": "language 언어 한글",
        "Start page": "home welcome examples 홈 예제",
        "Presentation mode": "full screen fullscreen projector slides class 전체 화면 프로젝터 슬라이드 발표",
        "Lessons …": "all lessons list tutorial course learn 목록 튜토리얼 수업 강의 배우기",
        "Glossary": "terms definitions dictionary 사전 뜻",
        "Documents": "help manual documentation 도움말 설명서",
        "All keys": "keyboard shortcuts hotkeys 키보드 단축키",
        "Explain what is under the pointer": "help what is this 도움말 설명",
    }
)
"""By the command's name in English."""
