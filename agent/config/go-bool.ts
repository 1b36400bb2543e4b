/** Booleans as Go's strconv.ParseBool reads them. Pure. */

/** Undefined for what is neither. */
export function parseGoBool(text: string): boolean | undefined {
	if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
	return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
