/** Columns of server-side tables, and the texts that many of them share (upstream's internalversion printers). Pure. */
import type { Container, LabelSelector, ObjectMeta } from '../../../api/gen/types.ts';
import { formatLabelSelector } from '../../../api/selector/label-text.ts';

export interface Column {
	readonly name: string;
	readonly type: 'string' | 'integer' | 'boolean' | 'date' | 'number';
	readonly format: string;
	readonly description: string;
	/** 0 is always shown, 1 with `-o wide`. */
	readonly priority: number;
}

/** Null: there is nothing to show, which only tables of custom resources say. */
export type Cell = string | number | boolean | null;

/** How a kind is shown. */
export interface Printer {
	readonly columns: readonly Column[];
	cells(object: never, now: number): readonly Cell[];
	/** A row's conditions: "Completed" rows are greyed out. */
	completed?(object: never): { readonly reason: string; readonly message: string } | undefined;
}

/** "Name", "Ready:integer", "Attacher:name" (another object's name), "IP*" (wide only). */
export function columns(...texts: readonly string[]): readonly Column[] {
	return texts.map((text) => {
		const wide = text.endsWith('*');
		const [name = '', type = 'string'] = (wide ? text.slice(0, -1) : text).split(':');
		const isName = name === 'Name' || type === 'name';
		return {
			name,
			type: type === 'name' ? 'string' : (type as Column['type']),
			format: isName ? 'name' : '',
			description: '',
			priority: wide ? 1 : 0,
		};
	});
}

/** Kubernetes' short form of a time span: two units below some sizes, then one (duration.HumanDuration). */
export function humanDuration(ms: number): string {
	const s = Math.trunc(ms / 1000);
	if (s < -1) return '<invalid>';
	if (s < 0) return '0s';
	if (s < 120) return `${s}s`;
	const m = Math.floor(s / 60);
	if (m < 10) return s % 60 === 0 ? `${m}m` : `${m}m${s % 60}s`;
	if (m < 180) return `${m}m`;
	const h = Math.floor(m / 60);
	if (h < 8) return m % 60 === 0 ? `${h}h` : `${h}h${m % 60}m`;
	if (h < 48) return `${h}h`;
	const d = Math.floor(h / 24);
	if (h < 192) return h % 24 === 0 ? `${d}d` : `${d}d${h % 24}h`;
	if (d < 365 * 2) return `${d}d`;
	const y = Math.floor(d / 365);
	if (d < 365 * 8) return d % 365 === 0 ? `${y}y` : `${y}y${d % 365}d`;
	return `${y}y`;
}

/** The time since, or "<unknown>". */
export function since(time: string | null | undefined, now: number): string {
	return time === undefined || time === null || time === '' ? '<unknown>' : humanDuration(now - Date.parse(time));
}

export function age({ metadata }: { readonly metadata: ObjectMeta }, now: number): string {
	return since(metadata.creationTimestamp, now);
}

export const orNone = (text: string | number | null | undefined): string =>
	text === undefined || text === null || text === '' ? '<none>' : String(text);
export const orUnset = (text: string | null | undefined): string => (text === undefined || text === null || text === '' ? '<unset>' : text);

/** "a=b,c=d" */
export function labelText(labels: Readonly<Record<string, string>> | null | undefined): string {
	const entries = Object.entries(labels ?? {});
	return entries.length === 0
		? '<none>'
		: entries
				.map(([k, v]) => `${k}=${v}`)
				.toSorted()
				.join(',');
}

/** A selector as people write it on a command line. */
export function selectorText(selector: LabelSelector | null | undefined): string {
	const text = formatLabelSelector(selector);
	return text === '' ? '<none>' : text;
}

export const names = (containers: readonly Container[] | undefined): string => (containers ?? []).map((c) => c.name).join(',');
export const images = (containers: readonly Container[] | undefined): string => (containers ?? []).map((c) => c.image ?? '').join(',');
