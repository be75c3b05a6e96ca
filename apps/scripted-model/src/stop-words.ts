/**
 * Words that questions are made of and that say nothing about what to look for. Only the frequent
 * ones of some languages: a word that is missing here costs one search without a match, no more.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `
  a an the is are was were be been am of in on at to from for with by about into over and or not no
  what which who whom whose when where why how does do did has have had it its this that these those
  there here please can could would should will shall may might me my i you your we our us they them
  their he she him his her any some all many much more most other last first next happened happen
  happens mention mentions mentioned contain contains containing say says said tell show find look
  looks give gave read open see get know summarise summarize summary explain describe search list
  file files line lines word words text content contents document folder directory entry entries
  record records element elements item items between than then also just only again now re-read
  reread got exactly compare compared check count anything something everything times occur occurs value hello hi hey thanks thank yes ok okay if but as so up out let lets s
  der die das den dem des ein eine einen einem einer und oder ist sind war waren im an auf aus von zu
  zum zur mit für über was welche welcher welches welchen wer wie wo wann warum hat haben hatte gibt
  es ich du wir ihr sie er nicht kein keine bitte zeige zeig mir nach datei dateien zeile zeilen steht
  passiert passierte geschah erwähnen erwähnt enthält enthalten nochmal erneut
  le la les un une du de et ou est sont dans sur avec pour par que quoi quel quelle quels quelles qui
  où quand comment pourquoi il elle je nous vous ne pas ce cette ces cet fichier fichiers ligne lignes
  mentionnent mentionne contient passé arrivé montre a-t-il encore s'est
  el los las uno una unos del y o es son en con para qué cuál cuáles quién dónde cuándo cómo hay se su
  archivo archivos fichero ficheros línea líneas menciona mencionan contiene contienen pasó muestra
  che cosa quale quali chi dove quando come perché nel nella il lo gli i file riga righe contengono
  o os as um uma no na em qual quais quem onde arquivo arquivos linha linhas contém aconteceu
  het een van wat welke wie waar bestand bestanden regel staat er op
  и в во на с со по из от до что где когда как какой какая какое какие кто есть это файл файле файла
  файлы файлах файлов строка строке упоминают упоминается случилось произошло было
  的 了 在 里 里面 中 是 有 和 请 什么 哪些 哪个 哪 怎么 发生 告诉 我 多少 文件 文档 提到 提及 包含 查找 一下 吗 呢
  の は を に が と で も か 何 どの どれ です ます した ました て ください 教え 教えて ファイル 行 中 いる ある こと
  은 는 이 가 을 를 에 에서 의 와 과 무엇 어떤 어느 파일 무슨 일 있 습니까 해 줘
  `
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Whether a word (in lower case) says nothing about what to look for. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
