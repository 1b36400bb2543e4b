/**
 * /statusz and /flagz: since when the server runs, what it is, what else to look at, and its flags. Text for people; a document of config.k8s.io
 * for those who ask for one (component-base zpages).
 */
import { formatYaml } from '../../../api/codec/yaml.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import { KUBERNETES_VERSION } from './version.ts';

const COMPONENT = 'apiserver';
const WARNING =
	'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const GROUP = 'config.k8s.io';
const VERSIONS = ['v1beta1', 'v1alpha1'];
/** Paths of the API itself, which are no help with the server. */
const API_PATHS = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

interface Page {
	readonly kind: 'Statusz' | 'Flagz';
	readonly lines: readonly string[];
	readonly fields: Readonly<Record<string, unknown>>;
}

/** @param paths all that are served outside of resources */
export function statuszHandler(clock: Clock, paths: () => readonly string[]): Handler {
	const { major, minor, patch } = KUBERNETES_VERSION;
	const startedAt = clock.now();
	const started = new Date(startedAt);
	const emulationVersion = `${major}.${minor}`;
	const binaryVersion = `${emulationVersion}.${patch}`;
	const goVersion = `node ${process.version}`;
	return (request) => {
		const seconds = Math.max(0, Math.floor((clock.now() - startedAt) / 1000));
		const listed = [...new Set(paths().flatMap(folderOf))].toSorted();
		return answer(request, {
			kind: 'Statusz',
			lines: [
				'',
				`Started: ${dated(started)}`,
				`Up: ${uptime(seconds)}`,
				`Go version: ${goVersion}`,
				`Binary version: ${binaryVersion}`,
				`Emulation version: ${emulationVersion}`,
				`Paths: ${listed.join(' ')}`,
			],
			fields: {
				startTime: started.toISOString().replace(/\.\d+Z$/, 'Z'),
				uptimeSeconds: seconds,
				goVersion,
				binaryVersion,
				emulationVersion,
				paths: listed,
			},
		});
	};
}

export function flagzHandler(flags: Readonly<Record<string, string>>): Handler {
	const sorted = Object.entries(flags).toSorted(([a], [b]) => (a < b ? -1 : 1));
	const page: Page = {
		kind: 'Flagz',
		lines: sorted.map(([name, value]) => `${name}=${value}`),
		fields: { flags: Object.fromEntries(sorted) },
	};
	return (request) => answer(request, page);
}

function folderOf(path: string): string[] {
	const folder = `/${path.split('/')[1] ?? ''}`;
	return folder === '/' || API_PATHS.has(folder) ? [] : [folder];
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

function answer(request: ApiRequest, page: Page): Promise<ApiResponse> {
	const form = wanted(request.headers['accept'], page.kind);
	if (form === 'text') {
		const text = `\n${COMPONENT} ${page.kind.toLowerCase()}\n${WARNING}\n${page.lines.join('\n')}\n`;
		return Promise.resolve(bytes('text/plain; charset=utf-8', text));
	}
	if (form.version === 'v1alpha1')
		request.warn(`This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`);
	const object = { kind: page.kind, apiVersion: `${GROUP}/${form.version}`, metadata: { name: COMPONENT }, ...page.fields };
	const isYaml = form.type === 'application/yaml';
	const text = isYaml ? formatYaml(object) : JSON.stringify(object, undefined, 2);
	return Promise.resolve(bytes(`${form.type};g=${GROUP};v=${form.version};as=${page.kind}`, text));
}

type Form = 'text' | { readonly type: string; readonly version: string };

/** The first type that can be answered; documents must be asked for as such. */
function wanted(accept: string | undefined, kind: string): Form {
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
	throw new StatusError({
		metadata: {},
		status: 'Failure',
		message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
		reason: 'NotAcceptable',
		code: 406,
	});
}

function bytes(type: string, text: string): ApiResponse {
	const headers = { 'content-type': type, 'cache-control': 'no-cache, private' };
	return { type: 'bytes', status: 200, headers, body: Buffer.from(text) };
}
