/** One run of csi-sanity against a driver of its own: one version, one back end, one kind of access. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import type { BackendKind } from '../../../csi/backends/kinds.ts';
import { createCsiDriver, type CsiOptions } from '../../../csi/driver.ts';
import { leaksBelow } from '../../crash/csi/leaks.ts';
import { specsOf, type Spec } from '../critest/report.ts';
import { makePlace } from './place.ts';
import { csiSanity, type SanityVersion } from './tools.ts';

export interface RunOptions {
	readonly version: SanityVersion;
	readonly backend: BackendKind;
	readonly access: 'mount' | 'block';
	/** For logs and the report. */
	readonly reports: string;
	/** More arguments for csi-sanity. */
	readonly more: readonly string[];
}

const SIZE = 320 * 1024 ** 2;
/** So many may be on a node; the suite makes one more. */
const ATTACH_LIMIT = 2;

export interface RunResult {
	readonly specs: readonly Spec[];
	/** What the driver left behind. */
	readonly leaks: readonly string[];
}

export async function oneRun({ version, backend, access, reports, more }: RunOptions): Promise<RunResult> {
	const suite = await csiSanity(version);
	await mkdir(reports, { recursive: true });
	await using place = await makePlace(backend === 'btrfs');
	const { dir, pool } = place;
	const socket = join(dir, 'csi.sock');
	const stop = new AbortController();
	const ready = Promise.withResolvers<void>();
	const lines = createWriteStream(join(reports, 'driver.log'));
	const log = createLog({ level: 'debug', write: (line) => void lines.write(line) });
	const options: CsiOptions = {
		driverName: 'local.csi.kubeling.dev',
		version: 'test',
		role: 'all',
		socketPath: socket,
		dataDir: pool,
		runDir: join(dir, 'run'),
		nodeId: 'sanity',
		maxVolumesPerNode: ATTACH_LIMIT,
		targetRoots: [dir],
		backends: backend === 'loop' ? ['loop'] : [backend, 'loop'],
		csi113: version === 'v5.6.0',
	};
	const driver = createCsiDriver(options, { clock: realClock, log, metrics: createMetrics() }).run(stop.signal, ready.resolve);
	try {
		await Promise.race([ready.promise, driver]);
		await runSuite(suite, await flags(dir, socket, access, reports), join(reports, 'csi-sanity.log'), more);
	} finally {
		stop.abort();
		await driver;
		lines.end();
	}
	const specs = specsOf(await readFile(join(reports, 'report.json'), 'utf8'));
	return { specs, leaks: await leaksBelow(place) };
}

async function flags(dir: string, socket: string, access: string, reports: string): Promise<readonly string[]> {
	const mutable = join(dir, 'mutable.yaml');
	await writeFile(mutable, 'readAheadKiB: "256"\n');
	return [
		`-csi.endpoint=unix://${socket}`,
		`-csi.mountdir=${join(dir, 'target')}`,
		`-csi.stagingdir=${join(dir, 'staging')}`,
		...(await pathCommands(dir)),
		`-csi.testvolumeaccesstype=${access}`,
		`-csi.testvolumesize=${SIZE}`,
		`-csi.testvolumeexpandsize=${2 * SIZE}`,
		`-csi.testvolumemutableparameters=${mutable}`,
		'-csi.testnodevolumeattachlimit',
		'-ginkgo.v',
		'-ginkgo.no-color',
		`-ginkgo.json-report=${join(reports, 'report.json')}`,
	];
}

/** Folders of their own for every spec: with one for all, a mount that one leaves fails all that come after it. */
async function pathCommands(dir: string): Promise<readonly string[]> {
	const scripts = {
		create: 'mktemp -d "$1.XXXXXX"',
		remove: 'rmdir "$1"',
		check:
			'if [ -d "$1" ]; then echo directory; elif [ -f "$1" ]; then echo file; elif [ -e "$1" ]; then echo other; else echo not_found; fi',
	};
	const path = (name: string): string => join(dir, `${name}-path.sh`);
	for (const [name, script] of Object.entries(scripts)) {
		await writeFile(path(name), `#!/bin/sh\n${script}\n`);
		await chmod(path(name), 0o755);
	}
	return [
		`-csi.createmountpathcmd=${path('create')}`,
		`-csi.createstagingpathcmd=${path('create')}`,
		`-csi.removemountpathcmd=${path('remove')}`,
		`-csi.removestagingpathcmd=${path('remove')}`,
		`-csi.checkpathcmd=${path('check')}`,
	];
}

/** The score is in the report; specs that fail make the exit code 1, which is no failure here. */
async function runSuite(suite: string, args: readonly string[], logPath: string, more: readonly string[]): Promise<void> {
	const log = await open(logPath, 'w');
	const child = spawn(suite, [...args, ...more], { stdio: ['ignore', log.fd, log.fd] });
	await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
	await log.close();
}
