/**
 * What the tests need of the machine, installed and started where that is allowed (Debian and Ubuntu, as root): an engine, the network tools,
 * a static busybox for images; and the clients that the tests drive. What is missing and may not be installed is told, with what it will skip; with CI=true it is a failure.
 * With `--late` only the tools of the last suites, in the time that others leave.
 */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { realClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { ensureEngine } from '../../cluster/engine.ts';
import { critest, debianPrograms, noNewPrivs } from '../conformance/critest/tools.ts';
import { cniPlugins } from '../tools/cni-plugins.ts';
import { crictl } from '../tools/crictl.ts';
import { csiSanity, SANITY_VERSIONS, type SanityVersion } from '../conformance/csi-sanity/tools.ts';
import { kubectlPrograms } from '../conformance/test-cmd/place.ts';
import { csiProvisioner, csiSidecars } from '../conformance/sidecars/tools.ts';
import { etcdBinary, ETCD_VERSIONS } from '../tools/etcd.ts';
import { etcdObjects } from '../tools/etcd-objects.ts';
import { goModule } from '../tools/go-tool.ts';
import { helm } from '../tools/helm.ts';
import { kubectl, KUBECTL_VERSIONS, type KubectlVersion } from '../tools/kubectl.ts';
import { pythonClient } from '../tools/python.ts';

const run = promisify(execFile);

/** Debian package by the file that shows it is there. */
const PACKAGES: Readonly<Record<string, string>> = {
	'/bin/busybox': 'busybox-static',
	'/usr/sbin/iptables': 'iptables',
	'/usr/bin/nsenter': 'util-linux',
	'/usr/sbin/nft': 'nftables',
	'/usr/sbin/tc': 'iproute2',
	'/usr/bin/python3': 'python3',
	'/usr/bin/systemd-notify': 'systemd',
	'/usr/bin/etcd': 'etcd-server',
	'/usr/bin/jq': 'jq',
	'/usr/bin/curl': 'curl',
};

const exists = (path: string): Promise<boolean> =>
	access(path).then(
		() => true,
		() => false,
	);

let failed = 0;
const problem = (text: string): void => {
	console.log(`${process.env['CI'] === 'true' ? 'failed' : 'missing'}: ${text}`);
	failed++;
};

const there = (tools: readonly (() => Promise<string>)[]): Promise<unknown> =>
	Promise.all(tools.map((tool) => tool().catch((error: unknown) => problem(`${messageOf(error)}; tests that drive it fail`))));

const early = [
	...(Object.keys(KUBECTL_VERSIONS) as KubectlVersion[]).map((version) => () => kubectl(version)),
	cniPlugins,
	crictl,
	etcdObjects,
	...ETCD_VERSIONS.map((version) => () => etcdBinary(version)),
];
/** For suites that wait for them (suites.ts). */
const late = [
	() => goModule('clients', join(import.meta.dirname, '..', 'conformance', 'go')),
	helm,
	critest,
	kubectlPrograms,
	noNewPrivs,
	csiSidecars,
	csiProvisioner,
	...(Object.keys(SANITY_VERSIONS) as SanityVersion[]).map((version) => () => csiSanity(version)),
];

const { values } = parseArgs({ options: { late: { type: 'boolean', default: false } } });
if (values.late) {
	setPriority(19); // of the compilers, too
	await there(late);
} else {
	// The sources of all are fetched at once, and packages installed meanwhile; what is fetched is built, one tool after the other.
	const built = there(early);
	await installPackages();
	await startEngine();
	await there([pythonClient, debianPrograms]);
	await built;
}
const ci = process.env['CI'] === 'true';
console.log(`totals: ${failed === 0 ? 1 : 0} passed, ${ci ? failed : 0} failed, ${ci ? 0 : failed} skipped`);
if (ci && failed > 0) process.exitCode = 1;

async function installPackages(): Promise<void> {
	const wanted: string[] = [];
	for (const [path, name] of Object.entries(PACKAGES)) if (!(await exists(path))) wanted.push(name);
	if (wanted.length > 0 && process.getuid?.() === 0 && (await exists('/usr/bin/apt-get'))) {
		console.log(`installing ${wanted.join(', ')}`);
		try {
			await run('apt-get', ['update', '-qq']);
			await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], {
				env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
			});
		} catch (error) {
			problem(`could not install ${wanted.join(', ')}: ${messageOf(error)}`);
		}
	} else if (wanted.length > 0) problem(`not installed: ${wanted.join(', ')}; what needs them is skipped`);
}

async function startEngine(): Promise<void> {
	try {
		const engine = await ensureEngine(undefined, true, realClock, (text) => console.log(text));
		console.log(`Docker Engine ${engine.version} at ${engine.host}`);
	} catch (error) {
		problem(`${messageOf(error)}; tests of the shim and end-to-end tests are skipped`);
	}
}
