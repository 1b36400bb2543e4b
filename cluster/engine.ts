/** Docker Engine on this host: found, or, where that is allowed, installed and started. */
import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { readText } from '../base/lines.ts';
import { runCommand } from '../host/command.ts';

/** How a running engine is reached. */
export interface Engine {
	/** "unix:///var/run/docker.sock" or "tcp://…". */
	readonly host: string;
	readonly version: string;
	readonly apiVersion: string;
}

export type Progress = (text: string) => void;

/** What makes an engine usable: what to install, by the distributions whose package is known. */
const PACKAGES = ['docker.io', 'iptables', 'iproute2', 'util-linux'];
const START_TIMEOUT_MS = 60_000;
const ENGINE_LOG = '/var/log/kubeling-dockerd.log';

/** Where an engine may listen, likeliest first: DOCKER_HOST alone when it is set. */
export function engineCandidates(env: NodeJS.ProcessEnv, uid: number | undefined): readonly string[] {
	if (env['DOCKER_HOST'] !== undefined && env['DOCKER_HOST'] !== '') return [env['DOCKER_HOST']];
	const runtimeDir = env['XDG_RUNTIME_DIR'] ?? `/run/user/${uid ?? 0}`;
	return ['unix:///var/run/docker.sock', `unix://${runtimeDir}/docker.sock`, `unix://${join(homedir(), '.docker/run/docker.sock')}`];
}

/** The first engine that answers, or undefined. */
export async function findEngine(host: string | undefined, env: NodeJS.ProcessEnv = process.env): Promise<Engine | undefined> {
	for (const candidate of host === undefined ? engineCandidates(env, process.getuid?.()) : [host]) {
		const version = await askVersion(candidate).catch(() => undefined);
		if (version !== undefined) return { host: candidate, version: version.Version, apiVersion: version.ApiVersion };
	}
	return undefined;
}

/** Finds an engine; with `install`, installs (Debian and Ubuntu, as root) and starts one. AppError says what is missing and how to get it. */
export async function ensureEngine(host: string | undefined, install: boolean, clock: Clock, progress: Progress): Promise<Engine> {
	const found = await findEngine(host);
	if (found !== undefined) return found;
	const root = process.getuid?.() === 0;
	const asked = host ?? (process.env['DOCKER_HOST'] || undefined);
	if (!install || asked !== undefined || !root)
		throw new AppError('FailedPrecondition', missingText(asked, root, existsSync('/usr/sbin/dockerd')));
	if (daemonPath() === undefined) await installEngine(progress);
	const daemon = daemonPath();
	if (daemon === undefined) throw new AppError('FailedPrecondition', missingText(host, root, false));
	progress('Starting Docker Engine');
	await startDaemon(daemon);
	const until = clock.monotonic() + START_TIMEOUT_MS;
	while (clock.monotonic() < until) {
		const engine = await findEngine(undefined);
		if (engine !== undefined) return engine;
		await clock.sleep(100);
	}
	throw new AppError(
		'Unavailable',
		`Docker Engine did not answer within ${START_TIMEOUT_MS / 1000} s of its start; its log is ${ENGINE_LOG}`,
	);
}

/** The next step for somebody without an engine. Pure. */
export function missingText(host: string | undefined, root: boolean, installed: boolean): string {
	if (host !== undefined) return `No Docker Engine answers at "${host}". Start it, or leave --docker-host and DOCKER_HOST out.`;
	if (installed) return `Docker Engine is installed but not running. Start it: ${root ? '' : 'sudo '}systemctl start docker`;
	return `No Docker Engine found. On Debian and Ubuntu: ${root ? '' : 'sudo '}apt-get install ${PACKAGES.join(' ')}; elsewhere see docs.docker.com/engine/install`;
}

function daemonPath(): string | undefined {
	return ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd'].find((p) => existsSync(p));
}

async function installEngine(progress: Progress): Promise<void> {
	const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
	if (!/^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release)) throw new AppError('FailedPrecondition', missingText(undefined, true, false));
	progress('Installing Docker Engine (apt-get install docker.io); this takes a minute');
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runCommand('apt-get', ['update', '-qq'], { env });
	await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], { env });
}

async function startDaemon(path: string): Promise<void> {
	if (existsSync('/run/systemd/system')) {
		await runCommand('systemctl', ['start', 'docker']);
		return;
	}
	const log = openSync(ENGINE_LOG, 'a', 0o600);
	spawn(path, [], { detached: true, stdio: ['ignore', log, log] }).unref();
}

interface EngineVersion {
	readonly Version: string;
	readonly ApiVersion: string;
}

function askVersion(host: string): Promise<EngineVersion> {
	const url = new URL(host);
	const where = url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
	return new Promise((resolve, reject) => {
		const call = request({ ...where, path: '/version', timeout: 3000 }, (response) => {
			readText(response as AsyncIterable<Buffer>)
				.then((text) => resolve(JSON.parse(text) as EngineVersion))
				.catch(reject);
		});
		call.once('timeout', () => call.destroy(new Error('timeout')));
		call.once('error', reject);
		call.end();
	});
}
