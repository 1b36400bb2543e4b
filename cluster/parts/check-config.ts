/** Whether what was read from a part's configuration file has the part's shape. Every fault is told at once, each by its field. */
import { isIP } from 'node:net';
import { AppError, messageOf } from '../../base/errors.ts';
import { parseSubnets } from '../../cri/network/subnet.ts';
import { APISERVER_FLAGS } from './apiserver-flags.ts';
import type {
	AgentConfig,
	ApiAccess,
	ApiserverConfig,
	CriConfig,
	EtcdConfig,
	HostPort,
	KeyPairFiles,
	LocalDriverConfig,
	MetricsConfig,
	PartConfigs,
	PartName,
	SchedulerConfig,
} from './config.ts';

/** Upstream's least: 8 addresses. */
const SMALLEST_RANGE_BITS = 3;

/** What stands wrong in a value at `path`; nothing when it is right. */
type Check = (value: unknown, path: string) => readonly string[];
type Fields<T> = { readonly [K in keyof Required<T>]: Check };

/** Throws AppError InvalidArgument. */
export function checkConfig<P extends PartName>(part: P, value: unknown): PartConfigs[P] {
	const faults = PARTS[part](value, '');
	if (faults.length === 0) return value as PartConfigs[P];
	throw new AppError(
		'InvalidArgument',
		`Wrong configuration of ${part}: ${faults.join('; ')}. docs/parts.md has an example of each part's`,
	);
}

const text: Check = (value, path) => (typeof value === 'string' && value !== '' ? [] : [fault(value, path, 'a text')]);
const port: Check = (value, path) =>
	Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536 ? [] : [fault(value, path, 'a port from 0 to 65535')];
const positive: Check = (value, path) => (typeof value === 'number' && value > 0 ? [] : [fault(value, path, 'a number above 0')]);
const list =
	(least: number): Check =>
	(value, path) =>
		Array.isArray(value) && value.length >= least
			? value.flatMap((item, index) => text(item, `${path}[${index}]`))
			: [fault(value, path, `a list of ${least > 0 ? 'at least one text' : 'texts'}`)];
const anyText: Check = (value, path) => (typeof value === 'string' ? [] : [fault(value, path, 'a text')]);
const texts: Check = (value, path) =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? Object.entries(value).flatMap(([name, each]) => anyText(each, `${path}.${name}`))
		: [fault(value, path, 'an object of texts')];
const flag: Check = (value, path) => (typeof value === 'boolean' ? [] : [fault(value, path, 'true or false')]);
const oneOf =
	(...values: readonly string[]): Check =>
	(value, path) =>
		values.includes(value as string) ? [] : [fault(value, path, `one of ${values.join(', ')}`)];
const subnets: Check = (value, path) => {
	try {
		return typeof value === 'string' && parseSubnets(value).length > 0 ? [] : [fault(value, path, 'a network, or two')];
	} catch (error) {
		return [`${path}: ${messageOf(error)}`];
	}
};
/** One that others reach: it stands in the `kubernetes` Endpoints. */
const reachableIp: Check = (value, path) =>
	typeof value === 'string' && isIP(value) > 0 && !/^127\.|^::1$/.test(value)
		? []
		: [fault(value, path, 'an IP address that is no loopback')];
const ownPort: Check = (value, path) =>
	Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536 ? [] : [fault(value, path, 'a port from 1 to 65535')];
const serviceRange: Check = (value, path) => {
	if (typeof value !== 'string') return [fault(value, path, 'a network, or two')];
	const ranges = value.split(',');
	const families = new Set(ranges.map((range) => isIP(range.split('/', 1)[0] ?? '')));
	if (ranges.length > 2 || families.size < ranges.length) return [fault(value, path, 'a network, or one of IPv4 and one of IPv6')];
	return ranges.flatMap((range) => {
		const [address = '', bits = '', ...more] = range.split('/');
		const width = { 4: 32, 6: 128 }[isIP(address)];
		if (width === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > width)
			return [fault(range, path, 'a network such as 10.96.0.0/16')];
		return Number(bits) > width - SMALLEST_RANGE_BITS
			? [`${path}: ${range}: the service cluster IP range must be at least 8 IP addresses`]
			: [];
	});
};
const optional =
	(check: Check): Check =>
	(value, path) =>
		value === undefined ? [] : check(value, path);

function object<T>(fields: Fields<T>): Check {
	return (value, path) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return [fault(value, path, 'an object')];
		const given = value as Record<string, unknown>;
		const known = Object.entries<Check>(fields);
		const unknown = Object.keys(given).filter((key) => !Object.hasOwn(fields, key));
		return [
			...known.flatMap(([key, check]) => check(given[key], path === '' ? key : `${path}.${key}`)),
			...unknown.map((key) => `${path === '' ? key : `${path}.${key}`} is not a field`),
		];
	};
}

function fault(value: unknown, path: string, wanted: string): string {
	const name = path === '' ? 'it' : path;
	return value === undefined ? `${name} is missing (${wanted})` : `${name} must be ${wanted}, not ${shown(value)}`;
}

function shown(value: unknown): string {
	const json = JSON.stringify(value);
	return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}

const keyPair: Fields<KeyPairFiles> = { certFile: text, keyFile: text };
const address = object<HostPort>({ host: text, port });
const api = object<ApiAccess>({ ...keyPair, server: text, caFile: text });

const etcd = object<EtcdConfig>({
	...{ type: text, endpoints: list(1) },
	...{ caFile: optional(text), certFile: optional(text), keyFile: optional(text), prefix: optional(text) },
});
const sqlite = object<{ type: 'sqlite'; path: string }>({ type: text, path: text });
const store: Check = (value, path) => {
	const type = (value as { type?: unknown } | null | undefined)?.type;
	if (type === 'sqlite') return sqlite(value, path);
	if (type === 'etcd') return etcd(value, path);
	return [fault(type, `${path}.type`, '"sqlite" or "etcd"')];
};

/** Whether each is a flag that there is; its value is checked where it is used. */
const flags: Check = (value, path) => {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return [fault(value, path, 'an object')];
	return Object.keys(value).flatMap((name) => (APISERVER_FLAGS.some(([known]) => known === name) ? [] : [`${path}.${name} is not a flag`]));
};

const AGENT = object<AgentConfig>({
	...{ api: optional(api), kubeconfigFile: optional(text), bootstrapKubeconfigFile: optional(text), apiServers: optional(list(0)) },
	...{ standalone: optional(flag), nodeName: text, nodeIps: list(1), externalIps: optional(list(0)), nodeLabels: optional(texts) },
	...{ rootDir: text, podLogsDir: text, certDir: optional(text), runtimeEndpoint: text, port, healthzPort: optional(port) },
	...{ serving: optional(object(keyPair)), clientCaFile: optional(text), clusterDomain: text, clusterDns: list(0), cgroupParent: anyText },
	...{ kubeletConfigFile: optional(text), kubeletConfigDir: optional(text), evictionHard: optional(texts) },
	kubernetesService: optional(object<NonNullable<AgentConfig['kubernetesService']>>({ host: text, port })),
	credentialProviders: optional(object<NonNullable<AgentConfig['credentialProviders']>>({ config: text, binDir: text })),
});

const PARTS: { readonly [P in PartName]: Check } = {
	apiserver: object<ApiserverConfig>({
		...{
			bindAddress: text,
			port: ownPort,
			advertiseAddress: reachableIp,
			serviceSubnet: serviceRange,
			store,
			encryptionConfigFile: optional(text),
		},
		...{ serving: object(keyPair), clientCaFile: text, serviceAccountKeyFile: text, kubeletClient: object(keyPair), clusterDomain: text },
		frontProxy: optional(object<NonNullable<ApiserverConfig['frontProxy']>>({ caFile: text, client: object(keyPair) })),
		flags: optional(flags),
	}),
	scheduler: object<SchedulerConfig>({ api, schedulerConfigFile: optional(text) }),
	'controller-manager': object({ api, signing: optional(object(keyPair)), serviceAccountKeyFile: optional(text) }),
	agent: (value, path) => {
		const faults = AGENT(value, path);
		if (faults.length > 0) return faults;
		const { api: files, kubeconfigFile, standalone } = value as AgentConfig;
		const ways = [files, kubeconfigFile, standalone === true ? true : undefined].filter((way) => way !== undefined).length;
		return ways === 1 ? [] : ['exactly one of api, kubeconfigFile and standalone must say how the API server is reached'];
	},
	storage: object({
		...{ api, nodeName: text },
		driver: object<LocalDriverConfig>({
			...{ driverName: text, socketPath: text, dataDir: text, runDir: text, nodeId: text, targetRoots: list(0), registrationDir: text },
			maxVolumesPerNode: (value, path) => (Number.isInteger(value) && Number(value) >= 0 ? [] : [fault(value, path, 'a whole number')]),
		}),
	}),
	metrics: object<MetricsConfig>({
		...{ api, bindAddress: text, port, serving: object(keyPair), frontProxyCaFile: text },
		...{ kubeletCaFile: optional(text), kubeletInsecureTls: optional(flag) },
		publish: optional(object<NonNullable<MetricsConfig['publish']>>({ api, nodeName: text, address: text })),
	}),
	cri: object<CriConfig>({
		...{ socketPath: text, dockerHost: text, dataDir: text, clusterName: text, cgroupParent: optional(text) },
		...{ podSubnet: optional(subnets), dualStack: optional(flag), network: optional(oneOf('auto', 'bridge', 'cni', 'engine')) },
		...{ cniConfDir: optional(text), cniBinDirs: optional(list(1)), engineLogDriver: optional(text), engineTimeoutMs: optional(positive) },
		imagePullProgressMs: optional(positive),
		...{ streamingAddress: optional(address), streamingTls: optional(object(keyPair)), metricsAddress: optional(address) },
	}),
};
