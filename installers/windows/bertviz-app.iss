; Inno Setup's recipe of the installer for Windows; `installers/build.py exe` gives it Version, Source, Output, Icons.
; Written for a hosted runner and not yet run.
[Setup]
AppId={{6E1B7C52-4C0B-4B7B-9B2A-5B4C2B3D0A11}
AppName=BertViz App
AppVersion={#Version}
AppPublisher=BertViz App
DefaultDirName={autopf}\BertViz App
DefaultGroupName=BertViz App
; Without an administrator it is installed for whoever runs it.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0
LicenseFile={#Source}\_internal\bertviz_app\resources\licences\THIRD_PARTY.txt
OutputDir={#Output}
OutputBaseFilename=BertViz_App-{#Version}-x64
UninstallDisplayIcon={app}\bertviz-app.exe
Compression=lzma2/normal
SolidCompression=yes
ChangesAssociations=yes
ChangesEnvironment=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "ko"; MessagesFile: "compiler:Languages\Korean.isl"

[CustomMessages]
en.Session=BertViz session
ko.Session=BertViz 세션
en.OpenFolder=Open in BertViz App
ko.OpenFolder=BertViz 앱에서 열기
en.DesktopIcon=Put an icon on the desktop
ko.DesktopIcon=바탕 화면에 아이콘 만들기
en.CommandLine=Let a terminal find bertviz-app-cli
ko.CommandLine=터미널에서 bertviz-app-cli 명령을 쓸 수 있게 하기

[Tasks]
Name: desktopicon; Description: "{cm:DesktopIcon}"; Flags: unchecked
Name: path; Description: "{cm:CommandLine}"; Flags: unchecked

[Files]
Source: "{#Source}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\BertViz App"; Filename: "{app}\bertviz-app.exe"
Name: "{autodesktop}\BertViz App"; Filename: "{app}\bertviz-app.exe"; Tasks: desktopicon

[Registry]
Root: HKA; Subkey: "Software\Classes\.bva"; ValueType: string; ValueData: "BertVizApp.Session"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\BertVizApp.Session"; ValueType: string; ValueData: "{cm:Session}"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\BertVizApp.Session\DefaultIcon"; ValueType: string; ValueData: "{app}\bertviz-app.exe,0"
Root: HKA; Subkey: "Software\Classes\BertVizApp.Session\shell\open\command"; ValueType: string; ValueData: """{app}\bertviz-app.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\Directory\shell\BertVizApp"; ValueType: string; ValueData: "{cm:OpenFolder}"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Directory\shell\BertVizApp\command"; ValueType: string; ValueData: """{app}\bertviz-app.exe"" ""%1"""
Root: HKA; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\bertviz-app.exe"; Description: "{cm:LaunchProgram,BertViz App}"; Flags: nowait postinstall skipifsilent

[Code]
{ Whether the folder is not yet among those of the user's Path. }
function NeedsPath: Boolean;
var
  Path: string;
begin
  Result := (not RegQueryStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Path))
    or (Pos(';' + ExpandConstant('{app}') + ';', ';' + Path + ';') = 0);
end;
