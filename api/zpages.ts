/**
 * /statusz and /flagz of a component: since when it runs, what it is, what else to look at, and its flags. Text for people; a document of
 * config.k8s.io for those who ask for one (component-base zpages). Pure.
 */
import { formatYaml } from './codec/yaml.ts';

const WARNING =
	'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const GROUP = 'config.k8s.io';
const VERSIONS = ['v1beta1', 'v1alpha1'];

export interface ZPage {
	readonly kind: 'Statusz' | 'Flagz';
	readonly lines: readonly string[];
	readonly fields: Readonly<Record<string, unknown>>;
}

export interface ZPageAnswer {
	readonly contentType: string;
	readonly text: string;
	/** What a client of an old version is told. */
	readonly warning?: string;
}

export interface ComponentStatus {
	/** ms since the epoch. */
	readonly startedAt: number;
	readonly now: number;
	/** "1.36.2" */
	readonly binaryVersion: string;
	readonly paths: readonly string[];
}

export function statuszPage({ startedAt, now, binaryVersion, paths }: ComponentStatus): ZPage {
	const started = new Date(startedAt);
	const emulationVersion = binaryVersion.split('.').slice(0, 2).join('.');
	const goVersion = `node ${process.version}`;
	const seconds = Math.max(0, Math.floor((now - startedAt) / 1000));
	return {
		kind: 'Statusz',
		lines: [
			'',
			`Started: ${dated(started)}`,
			`Up: ${uptime(seconds)}`,
			`Go version: ${goVersion}`,
			`Binary version: ${binaryVersion}`,
			`Emulation version: ${emulationVersion}`,
			`Paths: ${paths.join(' ')}`,
		],
		fields: {
			startTime: started.toISOString().replace(/\.\d+Z$/, 'Z'),
			uptimeSeconds: seconds,
			goVersion,
			binaryVersion,
			emulationVersion,
			paths,
		},
	};
}

export function flagzPage(flags: Readonly<Record<string, string>>): ZPage {
	const sorted = Object.entries(flags).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return { kind: 'Flagz', lines: sorted.map(([name, value]) => `${name}=${value}`), fields: { flags: Object.fromEntries(sorted) } };
}

/** Undefined where nothing of what the client accepts can be answered (NOT_ACCEPTABLE). */
export function answerZPage(component: string, page: ZPage, accept: string | undefined): ZPageAnswer | undefined {
	const form = wanted(accept, page.kind);
	if (form === undefined) return undefined;
	if (form === 'text') {
		const text = `\n${component} ${page.kind.toLowerCase()}\n${WARNING}\n${page.lines.join('\n')}\n`;
		return { contentType: 'text/plain; charset=utf-8', text };
	}
	const object = { kind: page.kind, apiVersion: `${GROUP}/${form.version}`, metadata: { name: component }, ...page.fields };
	return {
		contentType: `${form.type};g=${GROUP};v=${form.version};as=${page.kind}`,
		text: form.type === 'application/yaml' ? formatYaml(object) : JSON.stringify(object, undefined, 2),
		...(form.version === 'v1alpha1'
			? { warning: `This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.` }
			: {}),
	};
}

export const NOT_ACCEPTABLE = 'only the following media types are accepted: application/json, application/yaml, text/plain';

type Form = 'text' | { readonly type: string; readonly version: string };

/** The first type that can be answered; documents must be asked for as such. */
function wanted(accept: string | undefined, kind: string): Form | undefined {
	if ((accept ?? '').trim() === '') return 'text';
	for (const clause of (accept ?? '').split(',')) {
		const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
		const asked = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
		const as = asked.get('as');
		if (as === undefined && ['*/*', 'text/*', 'text/plain'].includes(type)) return 'text';
		const version = asked.get('v') ?? '';
		const isOurs = as === kind && asked.get('g') === GROUP && VERSIONS.includes(version);
		if (isOurs && type === 'application/yaml') return { type, version };
		if (isOurs && ['application/json', 'application/*', '*/*'].includes(type)) return { type: 'application/json', version };
	}
	return undefined;
}

/** "Sat Nov 21 14:05:18 UTC 2026" */
function dated(time: Date): string {
	const [weekday = '', day = '', month = '', year = '', clock = ''] = time.toUTCString().replace(',', '').split(' ');
	return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${clock} UTC ${year}`;
}

function uptime(seconds: number): string {
	const two = (value: number): string => String(value).padStart(2, '0');
	return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
