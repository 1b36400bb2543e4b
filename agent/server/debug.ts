/** /debug/pprof: what the agent's process does and holds, in V8's forms; /statusz and /flagz. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerZPage, flagzPage, NOT_ACCEPTABLE, statuszPage, type ZPage } from '../../api/zpages.ts';
import { AppError } from '../../base/errors.ts';
import { cpuProfile, heapProfile } from '../../base/profile.ts';
import { answer, jsonText, text } from './answers.ts';
import { configz } from './configz.ts';
import type { ServerDeps, ServerState } from './deps.ts';

const MAX_SECONDS = 60;
const DEFAULT_SECONDS = 30;
/** What is there to look at. */
const PATHS = ['/configz', '/debug', '/flagz', '/healthz', '/metrics', '/statusz'];

export async function profile(
	name: string,
	response: ServerResponse,
	url: URL,
	{ context: { clock } }: ServerDeps,
	{ profiles }: ServerState,
	signal: AbortSignal,
): Promise<void> {
	if (name === '') return text(response, '/debug/pprof/profile?seconds=30\n/debug/pprof/heap?seconds=30\n');
	if (name !== 'profile' && name !== 'heap') throw new AppError('NotFound', `404 page not found: ${url.pathname}`);
	const seconds = Number(url.searchParams.get('seconds') ?? DEFAULT_SECONDS);
	if (!(seconds > 0 && seconds <= MAX_SECONDS))
		throw new AppError('InvalidArgument', `seconds must be more than 0 and at most ${MAX_SECONDS}`);
	const take = name === 'heap' ? heapProfile : cpuProfile;
	jsonText(response, await profiles.run(name, () => take(seconds * 1000, clock, signal)));
}

export function statusz(request: IncomingMessage, response: ServerResponse, { context }: ServerDeps, { startedAt }: ServerState): void {
	const binaryVersion = context.options.version.replace(/^v/, '');
	page(request, response, statuszPage({ startedAt, now: context.clock.now(), binaryVersion, paths: PATHS }));
}

/** The flags of this kubelet are the fields of its configuration. */
export function flagz(request: IncomingMessage, response: ServerResponse, { context }: ServerDeps): void {
	const { kubeletconfig } = configz(context.options) as { readonly kubeletconfig: object };
	const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
	page(request, response, flagzPage(Object.fromEntries(Object.entries(kubeletconfig).map(([name, value]) => [name, shown(value)]))));
}

function page(request: IncomingMessage, response: ServerResponse, found: ZPage): void {
	const reply = answerZPage('kubelet', found, request.headers.accept);
	if (reply === undefined) return answer(response, { status: 406, text: `${NOT_ACCEPTABLE}\n` });
	const warning = reply.warning === undefined ? {} : { warning: `299 - "${reply.warning}"` };
	response.writeHead(200, { 'content-type': reply.contentType, 'cache-control': 'no-cache, private', ...warning }).end(reply.text);
}
