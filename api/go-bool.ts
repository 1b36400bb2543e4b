/** Booleans as Go's strconv.ParseBool reads them. Pure. */

const TRUE: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const FALSE: readonly string[] = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/** Undefined: it is none. */
export function goBool(text: string): boolean | undefined {
	if (TRUE.includes(text)) return true;
	return FALSE.includes(text) ? false : undefined;
}
