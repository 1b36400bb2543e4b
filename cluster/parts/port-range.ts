/** A range of ports as upstream's flags have it: "30000-32767", "30000+2767" or "30000". Pure. */
import { AppError } from '../../base/errors.ts';

const MOST = 65_535;

/** The first and the last one; undefined for no text. AppError InvalidArgument, in upstream's words. */
export function portRange(flag: string, given: string): readonly [number, number] | undefined {
	const text = given.trim();
	if (text === '') return undefined;
	const fail = (why: string): never => {
		throw new AppError('InvalidArgument', `invalid argument "${given}" for "--${flag}" flag: ${why}`);
	};
	const number = (digits: string): number =>
		/^[+-]?\d+$/.test(digits) ? Number(digits) : fail(`strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`);
	const [hyphen, plus] = [text.indexOf('-'), text.indexOf('+')];
	if (hyphen !== -1 && plus !== -1) fail(`unable to parse port range: ${text}`);
	const at = Math.max(hyphen, plus);
	const first = number(at === -1 ? text : text.slice(0, at));
	const second = at === -1 ? first : number(text.slice(at + 1));
	const last = plus === -1 ? second : first + second;
	if (first > MOST || last > MOST) fail(`the port range cannot be greater than ${MOST}: ${text}`);
	if (last < first) fail(`end port cannot be less than start port: ${text}`);
	return [first, last];
}
