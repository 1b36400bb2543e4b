/** Sizes of a terminal as they travel: JSON objects after each other, cut into messages anywhere. */
import type { TerminalSize } from './session.ts';

/** Of a size that has not come whole; nobody writes more. */
const MAX_TEXT = 1024;
const MAX_SIDE = 65_535;

/** Takes the text as it comes and calls `onSize` for each size; what is none is skipped. */
export function sizeReader(onSize: (size: TerminalSize) => void): (text: string) => void {
	let rest = '';
	return (text) => {
		rest += text;
		for (let at = rest.indexOf('}'); at >= 0; at = rest.indexOf('}')) {
			const size = parseSize(rest.slice(0, at + 1));
			rest = rest.slice(at + 1);
			if (size !== undefined) onSize(size);
		}
		if (rest.length > MAX_TEXT) rest = '';
	};
}

/** {"Width":80,"Height":24}; names in any case, a side that is not told is 0 (Go's encoding/json). Undefined when it is none. */
function parseSize(text: string): TerminalSize | undefined {
	let told: unknown;
	try {
		told = JSON.parse(text);
	} catch {
		return undefined;
	}
	if (typeof told !== 'object' || told === null) return undefined;
	const sides = new Map(Object.entries(told).map(([name, value]) => [name.toLowerCase(), value as unknown]));
	const [width, height] = [sides.get('width') ?? 0, sides.get('height') ?? 0];
	return isSide(width) && isSide(height) ? { width, height } : undefined;
}

function isSide(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_SIDE;
}
