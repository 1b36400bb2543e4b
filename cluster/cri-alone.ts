/**
 * The CRI shim on its own, as `kubeling cri` runs it for a kubelet of any kind: defaults where nothing is told, and a configuration that can
 * be read again. Pods, their logs and the events after a reload go on; streaming sessions end, as at a restart.
 */
import type { Clock } from '../base/clock.ts';
import { aborted, linked } from '../base/abort.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { runServices } from '../base/service.ts';
import { checkConfig } from './parts/check-config.ts';
import type { CriConfig } from './parts/config.ts';
import { criService } from './parts/cri.ts';

/** What `kubeling cri` does where nothing is told. */
export const CRI_DEFAULTS: CriConfig = {
	socketPath: '/run/kubeling-cri/cri.sock',
	dockerHost: process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock',
	dataDir: '/var/lib/kubeling-cri',
	clusterName: 'cri',
};

/** Where health and metrics are served without a configuration file; one that names no place wants none. */
export const CRI_METRICS = { host: '127.0.0.1', port: 10273 } as const;

export interface CriAlone {
	/** Reads flags and file; called at start and for each reload. */
	config(): Promise<object>;
	/** Waits for the next wish to reload. */
	reloadAsked(signal: AbortSignal): Promise<void>;
	readonly clock: Clock;
	readonly log: Log;
	/** Called whenever it serves. */
	onReady(config: CriConfig): void;
}

/** Serves until the signal aborts. A configuration that is wrong ends the start, and leaves a reload undone. */
export async function runCriAlone(alone: CriAlone, signal: AbortSignal): Promise<void> {
	let config = await readConfig(alone);
	while (!signal.aborted) {
		using round = linked(signal);
		const served = config;
		const services = [criService(served, { clock: alone.clock, log: alone.log, metrics: createMetrics() })];
		const running = runServices(services, round.signal, () => alone.onReady(served));
		const next = nextConfig(alone, served, round.signal);
		const changed = await Promise.race([next, running.then(() => undefined)]);
		round.abort();
		await running;
		if (changed === undefined) return;
		config = changed;
		alone.log.info('the configuration was read again');
	}
}

/** The next configuration that is right and says something else; undefined at the end. */
async function nextConfig(alone: CriAlone, before: CriConfig, signal: AbortSignal): Promise<CriConfig | undefined> {
	for (;;) {
		await Promise.race([alone.reloadAsked(signal).catch(() => {}), aborted(signal)]);
		if (signal.aborted) return undefined;
		try {
			const next = await readConfig(alone);
			if (JSON.stringify(next) !== JSON.stringify(before) || next.streamingTls !== undefined) return next;
			alone.log.info('the configuration has not changed');
		} catch (error) {
			alone.log.error('the configuration was read again and is wrong; what runs goes on', { error: messageOf(error) });
		}
	}
}

async function readConfig(alone: CriAlone): Promise<CriConfig> {
	return checkConfig('cri', { ...CRI_DEFAULTS, ...(await alone.config()) });
}
