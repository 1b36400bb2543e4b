/** Sidecar roles on their own, as `kubeling csi ROLE` runs them beside any driver: by upstream's flags. */
import { hostname } from 'node:os';
import { parseDuration } from '../api/time.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { runServices, type Service } from '../base/service.ts';
import { accessFromKubeconfig, inClusterAccess, type Access } from '../client/credentials.ts';
import { createTransport } from '../client/http2.ts';
import { loadKubeconfig } from '../client/kubeconfig.ts';
import { createClient } from '../client/rest.ts';
import type { DiagnosticsOptions } from '../csi/roles/diagnostics.ts';
import { createLivenessProbe } from '../csi/roles/liveness-probe.ts';
import { RETRY } from '../csi/roles/role.ts';
import { ROLE_NAMES, type ApiRoleName, type RoleName } from '../csi/roles/names.ts';
import { createNodeRegistrar } from '../csi/roles/node-registrar.ts';
import { createRoles, type RolesOptions } from '../csi/roles/run.ts';

export type { RoleName } from '../csi/roles/names.ts';

/** Flags by their names in camel case, as text or as true. */
export type RoleFlags = Readonly<Record<string, string | boolean | undefined>>;

export interface CsiRoleAlone {
	readonly roles: readonly RoleName[];
	readonly flags: RoleFlags;
	readonly clock: Clock;
	readonly log: Log;
	onReady(): void;
}

/** Until the signal aborts. */
export async function runCsiRoles({ roles, flags, clock, log, onReady }: CsiRoleAlone, signal: AbortSignal): Promise<void> {
	const stranger = roles.find((role) => !ROLE_NAMES.includes(role));
	if (stranger !== undefined) throw new AppError('InvalidArgument', `Role "${stranger}" is none of ${ROLE_NAMES.join(', ')}`);
	const services: Service[] = roles.flatMap((role) => nodeService(role, flags, clock, log));
	const ofApi = roles.filter((role): role is ApiRoleName => role !== 'liveness-probe' && role !== 'node-driver-registrar');
	if (ofApi.length > 0) {
		const access = await accessOf(flags, clock);
		const client = createClient(createTransport(access.transport), {
			userAgent: `kubeling-csi-${ofApi.length === 1 ? ofApi[0] : 'roles'}`,
		});
		services.push(createRoles(rolesOptions(ofApi, flags, access.namespace, { clock, log }), { client, clock, log }));
	}
	await runServices(services, signal, onReady);
}

function nodeService(role: RoleName, flags: RoleFlags, clock: Clock, log: Log): readonly Service[] {
	const address = text(flags, 'csiAddress') ?? '/run/csi/socket';
	if (role === 'liveness-probe') {
		const onListening = (port: number): void => log.info('serving health', { port });
		const where = { host: text(flags, 'healthHost') ?? '0.0.0.0', port: number(flags, 'healthPort') ?? 9808 };
		return [createLivenessProbe({ address, ...where, timeoutMs: ms(flags, 'probeTimeout') ?? 1000, onListening }, { clock, log })];
	}
	if (role !== 'node-driver-registrar') return [];
	const endpoint = text(flags, 'kubeletRegistrationPath') ?? '';
	if (endpoint === '')
		throw new AppError('InvalidArgument', '--kubelet-registration-path is missing: the CSI socket as the kubelet sees it');
	const dir = text(flags, 'pluginRegistrationPath') ?? '/registration';
	return [createNodeRegistrar({ address, endpoint, dir, timeoutMs: ms(flags, 'timeout') ?? 1000 }, { clock, log })];
}

/** Pure but for names of this process. What no flag says is as upstream's sidecars have it. */
function rolesOptions(
	roles: readonly ApiRoleName[],
	flags: RoleFlags,
	namespace: string,
	{ clock, log }: Pick<CsiRoleAlone, 'clock' | 'log'>,
): RolesOptions {
	const leases = flags['leaderElection'] === true ? (text(flags, 'leaderElectionNamespace') ?? namespace) : undefined;
	const capacity = flags['enableCapacity'] === true ? (text(flags, 'capacityNamespace') ?? namespace) : undefined;
	const fsType = text(flags, 'defaultFstype');
	const diagnostics = diagnosticsOf(flags);
	return {
		roles,
		address: text(flags, 'csiAddress') ?? '/run/csi/socket',
		timeoutMs: ms(flags, 'timeout') ?? (roles.includes('snapshotter') ? 60_000 : roles.includes('attacher') ? 15_000 : 10_000),
		workers: number(flags, 'workerThreads') ?? 10,
		backoff: { initialMs: ms(flags, 'retryIntervalStart') ?? RETRY.initialMs, maxMs: ms(flags, 'retryIntervalMax') ?? RETRY.maxMs },
		leaseNamespace: leases,
		diagnostics: diagnostics && { ...diagnostics, onListening: (port) => log.info('serving metrics', { port }) },
		identity: `${hostname()}_${clock.uuid()}`,
		provisioner: said({
			volumeNamePrefix: text(flags, 'volumeNamePrefix'),
			defaultFsType: fsType,
			strictTopology: flags['strictTopology'] === true,
			immediateTopology: flags['immediateTopology'] !== 'false',
			extraCreateMetadata: flags['extraCreateMetadata'] === true,
			publishReadOnly: flags['controllerPublishReadonly'] === true,
			capacityNamespace: capacity,
			capacityPollMs: ms(flags, 'capacityPollInterval'),
			capacityForImmediate: flags['capacityForImmediateBinding'] === true,
		}),
		attacher: said({ defaultFsType: fsType, compareMs: ms(flags, 'reconcileSync') }),
		resizer: { extraMetadata: flags['extraModifyMetadata'] === true },
		snapshotter: said({
			namePrefix: text(flags, 'snapshotNamePrefix'),
			groupNamePrefix: text(flags, 'groupsnapshotNamePrefix'),
			extraMetadata: flags['extraCreateMetadata'] === true,
		}),
		healthMonitor: said({ everyMs: ms(flags, 'monitorInterval'), listEveryMs: ms(flags, 'listVolumesInterval') }),
	};
}

/** Where --http-endpoint, or --metrics-address as it was called, wants diagnostics; undefined where neither does. Pure. */
export function diagnosticsOf(flags: RoleFlags): DiagnosticsOptions | undefined {
	const given = ['httpEndpoint', 'metricsAddress'].filter((name) => (text(flags, name) ?? '') !== '');
	if (given.length > 1) throw new AppError('InvalidArgument', 'Only one of --metrics-address and --http-endpoint can be set');
	const [name] = given;
	if (name === undefined) return undefined;
	const address = text(flags, name) ?? '';
	const [, host = '', port = ''] = /^(?:\[([^[\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address)?.filter((part) => part !== undefined) ?? [];
	if (port === '' || Number(port) > 65_535)
		throw new AppError('InvalidArgument', `--${dashed(name)} "${address}" is no address: write it as :8080`);
	return { host, port: Number(port), metricsPath: text(flags, 'metricsPath') ?? '/metrics' };
}

/** What flags say; the rest is as the role has it. */
function said<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

async function accessOf(flags: RoleFlags, clock: Clock): Promise<Access> {
	const file = text(flags, 'kubeconfig') ?? '';
	return file === '' ? inClusterAccess(clock, process.env) : accessFromKubeconfig(await loadKubeconfig([file]), clock);
}

function text(flags: RoleFlags, name: string): string | undefined {
	const value = flags[name];
	return typeof value === 'string' ? value : undefined;
}

function number(flags: RoleFlags, name: string): number | undefined {
	const value = text(flags, name);
	if (value === undefined) return undefined;
	if (!/^\d{1,6}$/.test(value)) throw new AppError('InvalidArgument', `--${dashed(name)} "${value}" is no number`);
	return Number(value);
}

/** Go's durations: "1m30s". */
function ms(flags: RoleFlags, name: string): number | undefined {
	const value = text(flags, name);
	if (value === undefined) return undefined;
	try {
		return Number(parseDuration(value)) / 1e6;
	} catch (cause) {
		throw new AppError('InvalidArgument', `--${dashed(name)} "${value}" is no duration: write it as 10s or 1m30s`, { cause });
	}
}

function dashed(name: string): string {
	return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
