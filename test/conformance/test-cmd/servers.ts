/** An API server and a controller manager, each in a process of its own, told what upstream's hack/make-rules/test-cmd.sh tells its own. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { CLUSTER_DOMAIN, layout } from '../../../cluster/layout.ts';
import { settle } from '../../../cluster/options.ts';
import { loadPki } from '../../../cluster/pki.ts';
import { LAUNCHER } from '../../e2e/cluster.ts';
import { Running } from '../../tools/command.ts';

const ADDRESS = '127.0.0.1';
/** Where it says that it is reached: no endpoint may be of this host. */
const ADVERTISED = '192.0.2.1';

export interface Servers extends AsyncDisposable {
	/** What they logged. */
	readonly output: string;
}

/** @param root the copy of upstream's sources: clients' certificates and tokens are theirs; `dir` takes configurations, keys and data */
export async function servers(root: string, dir: string, port: number): Promise<Servers> {
	const settled = settle({ name: 'test-cmd', dataDir: join(dir, 'data'), nodeName: ADDRESS });
	const nowhere = { podSubnet: '', dockerHost: '' };
	const configs = layout(settled, { port, kubeletPort: 10_250, podGateway: ADDRESS, hostAddress: ADDRESS, ...nowhere });
	const names = { nodeName: ADDRESS, clusterDomain: CLUSTER_DOMAIN, apiserverAddresses: [ADDRESS], nodeAddresses: [ADDRESS] };
	const { ca } = await loadPki(join(dir, 'data', 'pki'), names, realClock);
	const clientCaFile = join(dir, 'clients.crt');
	await writeFile(clientCaFile, `${ca.certPem}${await readFile(join(root, 'hack/testdata/ca/ca.crt'), 'utf8')}`);
	const apiserver = {
		...configs.apiserver,
		...{ bindAddress: ADDRESS, advertiseAddress: ADVERTISED, serviceSubnet: '10.0.0.0/24', clientCaFile },
		store: { type: 'sqlite', path: join(dir, 'state.db') },
		flags: {
			'authorization-mode': ['RBAC', 'AlwaysAllow'],
			'enable-admission-plugins': ['LimitRanger', 'ResourceQuota'],
			'disable-admission-plugins': [
				...['ServiceAccount', 'DefaultStorageClass', 'DefaultTolerationSeconds'],
				...['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook', 'StorageObjectInUseProtection'],
			],
			'token-auth-file': join(root, 'hack/testdata/auth-tokens.csv'),
			'service-account-issuer': ['https://kubernetes.default.svc'],
		},
	};
	await using started = new AsyncDisposableStack();
	const start = async (part: string, config: object): Promise<Running> => {
		const path = join(dir, `${part}.json`);
		await writeFile(path, JSON.stringify(config));
		return started.use(new Running(process.execPath, [LAUNCHER, part, '--config', path], process.env));
	};
	const api = await start('apiserver', apiserver);
	await api.waitFor(/serving the API/);
	const controllers = await start('controller-manager', configs['controller-manager']);
	const running = started.move();
	return {
		get output() {
			return api.output + controllers.output;
		},
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}
