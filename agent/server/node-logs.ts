/**
 * /logs/: the node's own logs, as files below one folder, or of services by a query. Who writes there may be a pod with a hostPath: what is
 * opened is looked at by its descriptor, and served only where it lies in that folder and is a plain file or a folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withDeadline } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { placeOf } from '../../host/beneath.ts';
import { journalArguments, type NodeLogQuery } from './log-query.ts';

export const NODE_LOGS = '/var/log';
/** Upstream's deadline of a query. */
const QUERY_MS = 30_000;

/** A file's content or a folder's names. AppError NotFound where there is neither. */
export async function serveLogFile(root: string, path: string, response: ServerResponse, signal: AbortSignal): Promise<void> {
	await using file = await openBelow(root, path);
	const stat = await file.stat();
	if (stat.isDirectory()) {
		if (!path.endsWith('/') && path !== '') return void response.writeHead(301, { location: `${path.split('/').at(-1) ?? ''}/` }).end();
		const entries = (await readdir(placeOf(file), { withFileTypes: true })).map((e) => `${e.name}${e.isDirectory() ? '/' : ''}`);
		const lines = entries.toSorted().map((name) => `<a href="${encodeURI(`./${name}`)}">${escaped(name)}</a>\n`);
		response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' });
		return void response.end(`<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`);
	}
	response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
	await pipeline(file.createReadStream({ autoClose: false, end: Math.max(0, stat.size - 1) }), response, { signal });
}

async function openBelow(root: string, path: string): Promise<FileHandle> {
	const missing = (cause?: unknown): AppError => new AppError('NotFound', `404 page not found: /logs/${path}`, { cause });
	const [base, file] = await Promise.all([
		realpath(root),
		// O_NONBLOCK: a pipe that nobody writes to must not hold us.
		open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
			throw missing(cause);
		}),
	]);
	try {
		const [is, stat] = await Promise.all([readlink(placeOf(file)), file.stat()]);
		if ((is !== base && !is.startsWith(`${base}/`)) || (!stat.isFile() && !stat.isDirectory())) throw missing();
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}

export interface QueryDeps {
	readonly root: string;
	readonly clock: Clock;
	/** "journalctl" */
	readonly journal: string;
}

/** What the journal has of the services, else their log files. What fails is said in the text, as upstream does. */
export async function answerQuery(query: NodeLogQuery, response: ServerResponse, deps: QueryDeps, signal: AbortSignal): Promise<void> {
	using deadline = withDeadline(deps.clock, QUERY_MS, 'a query of logs', signal);
	const stop = deadline.signal;
	if (query.file !== undefined) return serveLogFile(deps.root, query.file.replace(/^\/+/, ''), response, stop);
	response.writeHead(200, { 'content-type': 'text/plain;charset=UTF-8' });
	const native: string[] = [];
	const others: string[] = [];
	for (const service of query.services) ((await isInJournal(deps.journal, service, stop)) ? native : others).push(service);
	if (native.length > 0 && !(await copyJournal(deps.journal, journalArguments(native, query.options), response, stop)))
		response.write('\nerror: journal output not available\n');
	if (others.length > 0 && Object.keys(query.options).length > 0)
		response.write(`\noptions present and query resolved to log files for [${others.join(' ')}]\ntry without specifying options\n`);
	else for (const service of others) await copyService(deps.root, service, response, stop);
	response.end();
}

/** Upstream looks at these, in this order. */
async function copyService(root: string, service: string, to: Writable, signal: AbortSignal): Promise<void> {
	for (const path of [service, `${service}.log`, `${service}/${service}.log`]) {
		await using file = await openBelow(root, path).catch(() => undefined);
		const stat = await file?.stat();
		if (file === undefined || stat?.isFile() !== true) continue;
		if (stat.size > 0) await pipeline(file.createReadStream({ autoClose: false, end: stat.size - 1 }), to, { signal, end: false });
		return;
	}
	to.write(`\nlog not found for ${service}\n`);
}

async function isInJournal(journal: string, service: string, signal: AbortSignal): Promise<boolean> {
	let said = '';
	const ran = await run(journal, ['--utc', '--no-pager', '--output=short-precise', '--unit', service, '--lines=1'], signal, (chunk) => {
		said += chunk.toString('utf8');
		return Promise.resolve();
	});
	return ran && !said.includes('-- No entries --') && said.trim() !== '';
}

/** False where there is no journalctl. */
function copyJournal(journal: string, args: readonly string[], to: Writable, signal: AbortSignal): Promise<boolean> {
	return run(journal, args, signal, async (chunk) => {
		if (!to.write(chunk)) await once(to, 'drain', { signal });
	});
}

async function run(
	command: string,
	args: readonly string[],
	signal: AbortSignal,
	take: (chunk: Buffer) => Promise<void>,
): Promise<boolean> {
	const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], signal });
	const ended = new Promise<boolean>((resolve) => child.once('error', () => resolve(false)).once('close', () => resolve(true)));
	try {
		for await (const chunk of child.stdout as AsyncIterable<Buffer>) await take(chunk);
	} catch (error) {
		child.kill('SIGKILL');
		if (!signal.aborted) throw error;
	}
	return ended;
}

function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
