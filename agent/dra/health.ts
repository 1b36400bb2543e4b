/**
 * How devices of drivers are, as these tell (DRAResourceHealth): a driver streams lists of all its devices, and of what it says nothing for a while
 * nothing is known any more. Kept over restarts in dra_health_state, in upstream's form (cm/dra/healthinfo.go).
 */
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { HealthStatus, type DeviceHealth as Reported, type NodeWatchResourcesResponse } from '../../wire/gen/dra-health.ts';
import { Saver } from '../saver.ts';

const FILE = 'dra_health_state';
/** Upstream's, of devices whose driver gives none. */
const TIMEOUT_MS = 30_000;
/** Bounds both what a timer and what upstream's file can hold. */
const MAX_TIMEOUT_MS = 7 * 86_400_000;
/** Bytes, with the dots that stand for the rest (v1.ResourceHealthMessageMaxLength). */
const MAX_MESSAGE = 1024;

export interface Health {
	readonly health: 'Healthy' | 'Unhealthy' | 'Unknown';
	readonly message?: string;
}

interface Known extends Health {
	readonly pool: string;
	readonly device: string;
	/** When it was told. */
	readonly atMs: number;
	readonly timeoutMs: number;
}

/** By "pool/device". */
type Devices = Map<string, Known>;

export interface DeviceHealthOptions {
	readonly rootDir: string;
	readonly clock: Clock;
	readonly log: Log;
	/** Told of a driver's devices that are otherwise now, as "pool/device". */
	readonly changed: (driver: string, devices: ReadonlySet<string>) => void;
}

const UNKNOWN: Health = { health: 'Unknown' };

export class DeviceHealth {
	readonly #given: DeviceHealthOptions;
	readonly #drivers: Map<string, Devices>;
	/** Waits for the first device of a driver to be out of date. */
	readonly #expiring = new Map<string, AbortController>();
	readonly #saver: Saver;

	private constructor(given: DeviceHealthOptions, drivers: Map<string, Devices>) {
		this.#given = given;
		this.#drivers = drivers;
		this.#saver = new Saver(
			() => writeAtomic(join(given.rootDir, FILE), JSON.stringify(stored(drivers))),
			(error) => given.log.warn('cannot keep how devices are', { reason: messageOf(error) }),
		);
	}

	/** What cannot be read is told again soon enough. */
	static async open(given: DeviceHealthOptions): Promise<DeviceHealth> {
		const drivers = await read(join(given.rootDir, FILE)).catch((error: unknown) => {
			given.log.warn('how devices were is not known any more', { reason: messageOf(error) });
			return new Map<string, Devices>();
		});
		return new DeviceHealth(given, drivers);
	}

	of(driver: string, pool: string, device: string): Health {
		const known = this.#drivers.get(driver)?.get(`${pool}/${device}`);
		if (known === undefined || this.#isOld(known)) return UNKNOWN;
		const { health, message } = known;
		return message === undefined ? { health } : { health, message };
	}

	/** A list of all devices of the driver. */
	told(driver: string, { devices }: NodeWatchResourcesResponse): void {
		const now = this.#given.clock.now();
		const known = this.#drivers.get(driver) ?? new Map<string, Known>();
		const changed = new Set<string>();
		for (const reported of devices) {
			const next = knownOf(reported, now);
			const key = `${next.pool}/${next.device}`;
			const before = known.get(key);
			if (before?.health !== next.health || before.message !== next.message || before.timeoutMs !== next.timeoutMs) changed.add(key);
			known.set(key, next);
		}
		this.#drivers.set(driver, known);
		this.#expire(driver, changed);
	}

	/** The driver tells nothing any more. */
	forget(driver: string): void {
		this.#expiring.get(driver)?.abort();
		const known = this.#drivers.get(driver);
		if (!this.#drivers.delete(driver)) return;
		this.#saver.changed();
		this.#given.changed(driver, new Set(known?.keys()));
	}

	/** Waits for nothing any more; what is known stays in the file. */
	stop(): void {
		for (const waiting of this.#expiring.values()) waiting.abort();
	}

	/** What is out of date is unknown from now on; who has that, or what changed besides, is told of. */
	#expire(driver: string, changed: Set<string>): void {
		const known = this.#drivers.get(driver) ?? new Map<string, Known>();
		for (const [key, device] of known) {
			if (device.health === 'Unknown' || !this.#isOld(device)) continue;
			const { pool, device: name, timeoutMs } = device;
			known.set(key, { ...UNKNOWN, pool, device: name, atMs: this.#given.clock.now(), timeoutMs });
			changed.add(key);
		}
		this.#expireLater(driver, known);
		if (changed.size === 0) return;
		this.#saver.changed();
		this.#given.changed(driver, changed);
	}

	#expireLater(driver: string, known: Devices): void {
		const { clock } = this.#given;
		this.#expiring.get(driver)?.abort();
		this.#expiring.delete(driver);
		const ends = [...known.values()].filter(({ health }) => health !== 'Unknown').map(({ atMs, timeoutMs }) => atMs + timeoutMs);
		if (ends.length === 0) return;
		const stop = new AbortController();
		this.#expiring.set(driver, stop);
		const waitMs = ends.reduce((least, end) => Math.min(least, end)) + 1 - clock.now();
		clock.sleep(Math.max(0, waitMs), stop.signal).then(
			() => this.#expire(driver, new Set()),
			() => {},
		);
	}

	#isOld({ atMs, timeoutMs }: Known): boolean {
		return this.#given.clock.now() - atMs > timeoutMs;
	}
}

/** Pure. */
function knownOf({ device, health, healthCheckTimeoutSeconds, message }: Reported, atMs: number): Known {
	const timeoutMs = healthCheckTimeoutSeconds > 0n ? Math.min(Number(healthCheckTimeoutSeconds) * 1000, MAX_TIMEOUT_MS) : TIMEOUT_MS;
	const told = health === HealthStatus.HEALTHY ? 'Healthy' : health === HealthStatus.UNHEALTHY ? 'Unhealthy' : 'Unknown';
	const { poolName: pool = '', deviceName: name = '' } = device ?? {};
	return { pool, device: name, health: told, atMs, timeoutMs, ...(message === '' ? {} : { message: shortened(message) }) };
}

/** Pure. No character is cut in two. */
export function shortened(message: string): string {
	const bytes = Buffer.from(message);
	if (bytes.length <= MAX_MESSAGE) return message;
	let end = MAX_MESSAGE - 3;
	while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return `${bytes.toString('utf8', 0, end)}...`;
}

interface Stored {
	readonly PoolName: string;
	readonly DeviceName: string;
	readonly Health: Health['health'];
	/** RFC 3339. */
	readonly LastUpdated: string;
	/** Nanoseconds. */
	readonly HealthCheckTimeout: number;
	readonly Message: string;
}

type File = Readonly<Record<string, { readonly Devices: Readonly<Record<string, Stored>> | null }>>;

function stored(drivers: ReadonlyMap<string, Devices>): File {
	const one = ({ pool, device, health, atMs, timeoutMs, message = '' }: Known): Stored => ({
		...{ PoolName: pool, DeviceName: device, Health: health, Message: message },
		...{ LastUpdated: new Date(atMs).toISOString(), HealthCheckTimeout: timeoutMs * 1e6 },
	});
	const all = (devices: Devices) => ({ Devices: Object.fromEntries([...devices].map(([key, known]) => [key, one(known)])) });
	return Object.fromEntries([...drivers].map(([driver, devices]) => [driver, all(devices)]));
}

async function read(path: string): Promise<Map<string, Devices>> {
	const text = await readIfExists(path);
	const file = text === undefined ? {} : (JSON.parse(text) as File);
	const one = ({ PoolName, DeviceName, Health: health, LastUpdated, HealthCheckTimeout, Message }: Stored): Known => ({
		...{ pool: PoolName, device: DeviceName, health, atMs: Date.parse(LastUpdated) || 0 },
		timeoutMs: HealthCheckTimeout > 0 ? Math.min(HealthCheckTimeout / 1e6, MAX_TIMEOUT_MS) : TIMEOUT_MS,
		...(Message === '' ? {} : { message: Message }),
	});
	const all = (devices: Readonly<Record<string, Stored>>): Devices =>
		new Map(Object.entries(devices).map(([key, device]) => [key, one(device)]));
	return new Map(Object.entries(file).map(([driver, { Devices }]) => [driver, all(Devices ?? {})]));
}
