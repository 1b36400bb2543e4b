/** What CNI does beyond what every pod network does, with upstream's plug-ins. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../host/command.ts';
import { eventually } from '../tools/eventually.ts';
import { addressOf, type Case, port } from './pod-network-suite.ts';
import { cniConfig, confDirOf, confFileOf, leasesOf, setting } from './cni-network-subject.ts';

const describe = (network: { describe(): object }): string => JSON.stringify(network.describe());

/** With another configuration, as an administrator or a network add-on puts it: whole, by a rename. */
async function configure(text: string, file = confFileOf(setting())): Promise<void> {
	const next = join(setting().dir, 'next');
	await writeFile(next, text);
	await rename(next, file);
}

export const CNI_CASES: readonly Case[] = [
	...['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'].map(
		(version): Case => ({
			name: `version ${version}: connected, found by a restart, disconnected`,
			run: async ({ subject, restart, pod, drop, pods }) => {
				const config = JSON.parse(cniConfig(setting(), { cniVersion: version })) as { plugins: { type: string }[] };
				// Upstream's firewall begins with 0.4.0.
				const plugins = config.plugins.filter((p) => p.type !== 'firewall' || !version.startsWith('0.3'));
				await configure(JSON.stringify({ ...config, plugins }));
				await restart();
				const a = await pod({ portMappings: [port(9700, 80)] });
				assert.match(addressOf(a, 4), /^10\.78\./);
				await restart(pods.slice());
				await drop(a);
				await configure(cniConfig(setting()));
				assert.deepEqual(await subject.traces(), []);
			},
		}),
	),
	{
		name: 'the bandwidth that a pod asks for is set',
		run: async ({ pod }) => {
			const annotations = { 'kubernetes.io/ingress-bandwidth': '10M', 'kubernetes.io/egress-bandwidth': '20M' };
			await pod({ annotations });
			const qdiscs = await runCommand('tc', ['qdisc']);
			assert.match(qdiscs, /tbf .* rate 10Mbit/);
			assert.match(qdiscs, /tbf .* rate 20Mbit/);
			await assert.rejects(pod({ annotations: { 'kubernetes.io/ingress-bandwidth': 'x' } }), { code: 'InvalidArgument' });
		},
	},
	{
		name: 'the first configuration counts, whatever comes and goes; a pod is disconnected with its own',
		run: async (scene) => {
			const { network, pod, drop, subject } = scene;
			const a = await pod();
			const first = join(confDirOf(setting()), '05-first.conflist');
			const other = cniConfig(setting()).replaceAll('10.78.0', '10.80.0').replaceAll('fd78', 'fd80').replace('"test"', '"other"');
			await configure(other.replace('cni-test', 'cni-other'), first);
			await eventually('the other network', async () => describe(network).includes('05-first'));
			const b = await pod();
			assert.match(addressOf(b, 4), /^10\.80\./);
			await drop(a);
			assert.deepEqual(
				(await leasesOf(setting())).filter((l) => l.startsWith('10.78')),
				[],
			);
			await writeFile(first, '{');
			await eventually('a problem', async () => (await network.problem())?.includes('no JSON object'));
			await rm(first);
			await eventually('the first network', async () => describe(network).includes('10-test'));
			assert.equal(await network.problem(), undefined);
			await drop(b);
			assert.deepEqual(await subject.traces(), []);
		},
	},
	{
		name: 'plug-ins that are missing, too old or not ready are told; what was begun is taken back',
		run: async (scene) => {
			const { pod, restart, subject } = scene;
			const bin = join(setting().dir, 'bin');
			await mkdir(bin, { recursive: true });
			const plugin = async (name: string, script: string): Promise<void> => {
				await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
				await chmod(join(bin, name), 0o755);
			};
			const versions = (list: string): string =>
				`[ $CNI_COMMAND = VERSION ] && exec echo '{"cniVersion":"1.1.0","supportedVersions":[${list}]}'`;
			const config = JSON.parse(cniConfig(setting())) as { plugins: object[] };
			await configure(JSON.stringify({ ...config, plugins: [...config.plugins, { type: 'own' }] }));
			await eventually('the missing plug-in', async () => (await scene.network.problem())?.includes('Cannot find CNI plug-in "own"'));
			await assert.rejects(pod(), { code: 'FailedPrecondition' });
			await plugin('own', versions('"0.3.1"'));
			await restart();
			assert.match((await scene.network.problem()) ?? '', /"own" does not support version 1\.1\.0/);
			await plugin(
				'own',
				`${versions('"1.1.0"')}; [ $CNI_COMMAND = STATUS ] && { echo '{"code":50,"msg":"no route yet"}'; exit 1; }; cat > /dev/null; echo '{}'`,
			);
			await restart();
			assert.match((await scene.network.problem()) ?? '', /no route yet/);
			await plugin('own', `${versions('"1.1.0"')}; [ $CNI_COMMAND = ADD ] && { echo '{"code":11,"msg":"later"}'; exit 1; }; exit 0`);
			await restart();
			assert.equal(await scene.network.problem(), undefined);
			await assert.rejects(pod(), { code: 'Unavailable', message: /later/ });
			await restart([]);
			await rm(bin, { recursive: true });
			await configure(cniConfig(setting()));
			await restart([]);
			assert.deepEqual(await subject.traces(), [], 'what the plug-ins before had made is gone');
		},
	},
	{
		name: 'what a plug-in is given and told',
		run: async ({ pod, restart, drop, subject }) => {
			const bin = join(setting().dir, 'bin');
			const said = join(setting().dir, 'said');
			await mkdir(bin, { recursive: true });
			await writeFile(
				join(bin, 'tell'),
				`#!/bin/sh
[ $CNI_COMMAND = VERSION ] && exec echo '{"cniVersion":"1.1.0","supportedVersions":["1.1.0"]}'
{ echo "$CNI_COMMAND $CNI_CONTAINERID $CNI_IFNAME $CNI_ARGS"; cat; echo; } >> ${said}
[ $CNI_COMMAND = ADD ] && echo '{"cniVersion":"1.1.0","ips":[{"address":"10.9.9.9/24"}]}' || exit 0
`,
			);
			await chmod(join(bin, 'tell'), 0o755);
			const plugin = { type: 'tell', capabilities: { portMappings: true, dns: true, ips: true } };
			await configure(JSON.stringify({ cniVersion: '1.1.0', name: 'told', plugins: [plugin] }));
			await restart();
			const dnsConfig = { servers: ['10.96.0.10'], searches: ['a.b'], options: [] };
			const a = await pod({ dnsConfig, portMappings: [port(99, 9)], annotations: { 'cni.kubeling.dev/ips': '10.9.9.9' } });
			assert.deepEqual(a.address.ips, ['10.9.9.9']);
			await restart([a]);
			await eventually('CHECK', async () => /^CHECK /m.test(await readFile(said, 'utf8')));
			await drop(a);
			interface Told {
				readonly runtimeConfig?: object;
				readonly capabilities?: object;
				readonly prevResult?: { readonly ips: object };
				readonly 'cni.dev/valid-attachments'?: object;
			}
			const lines = (await readFile(said, 'utf8')).trim().split('\n');
			const told = (command: string): readonly { readonly env: string; readonly config: Told }[] =>
				lines.flatMap((env, i) => (env.startsWith(`${command} `) ? [{ env, config: JSON.parse(lines[i + 1] as string) as Told }] : []));
			const [added] = told('ADD');
			assert.equal(
				added?.env,
				`ADD ${a.id} eth0 IgnoreUnknown=1;K8S_POD_NAMESPACE=ns;K8S_POD_NAME=p1;K8S_POD_INFRA_CONTAINER_ID=${a.id};K8S_POD_UID=${a.id}`,
			);
			const runtimeConfig = {
				portMappings: [{ hostPort: 99, containerPort: 9, protocol: 'tcp', hostIP: '' }],
				dns: dnsConfig,
				ips: ['10.9.9.9'],
			};
			assert.deepEqual(added?.config.runtimeConfig, runtimeConfig);
			assert.equal(added?.config.capabilities, undefined);
			for (const command of ['CHECK', 'DEL']) {
				const [{ config } = { config: {} as Told }] = told(command);
				assert.deepEqual(config.runtimeConfig, runtimeConfig, command);
				assert.deepEqual(config.prevResult?.ips, [{ address: '10.9.9.9/24' }], command);
			}
			assert.deepEqual(told('GC').at(-1)?.config['cni.dev/valid-attachments'], [{ containerID: a.id, ifname: 'eth0' }]);
			await rm(bin, { recursive: true });
			await configure(cniConfig(setting()));
			assert.deepEqual(await subject.traces(), []);
		},
	},
];
