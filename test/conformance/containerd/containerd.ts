/** containerd with its own CRI server, of a test's own: started inside the suite's namespaces, with upstream's CNI plug-ins and the suite's registry. */
import { spawn } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { RuntimeServiceService } from '../../../cri/proto.ts';
import { grpcClient } from '../../../wire/grpc/client.ts';
import { cniPlugins } from '../../tools/cni-plugins.ts';
import { eventually } from '../../tools/eventually.ts';
import { REGISTRIES } from '../critest/registry.ts';

const NETWORK = {
	cniVersion: '0.4.0',
	name: 'containerd',
	plugins: [
		{
			type: 'bridge',
			bridge: 'cni0',
			isGateway: true,
			ipMasq: false,
			ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
		},
		{ type: 'portmap', capabilities: { portMappings: true } },
	],
};

/** Resolves with its socket once it answers and has a network. `bin` is a folder with containerd and its shims; the machine's own where none is given. */
export async function startContainerd(dir: string, logPath: string, bin = ''): Promise<string> {
	const socket = join(dir, 'containerd.sock');
	const at = (name: string): string => join(dir, name);
	await mkdir(at('cni'), { recursive: true });
	await writeFile(at('cni/10-bridge.conflist'), JSON.stringify(NETWORK));
	for (const host of REGISTRIES) {
		await mkdir(at(`registries/${host}`), { recursive: true });
		const lines = [`server = "http://${host}"`, `[host."http://${host}"]`, '  capabilities = ["pull", "resolve"]'];
		await writeFile(at(`registries/${host}/hosts.toml`), `${lines.join('\n')}\n`);
	}
	await writeFile(at('config.toml'), configOf(dir, socket, await cniPlugins()));
	const log = await open(logPath, 'a');
	const path = bin === '' ? process.env['PATH'] : `${bin}${delimiter}${process.env['PATH']}`;
	const child = spawn(join(bin, 'containerd'), ['--config', at('config.toml')], {
		stdio: ['ignore', log.fd, log.fd],
		env: { ...process.env, PATH: path },
	});
	let ended = false;
	child.once('error', () => (ended = true)).once('exit', () => (ended = true));
	const runtime = await grpcClient(RuntimeServiceService, { address: socket, clock: realClock });
	await eventually(`containerd is ready (${logPath} says why not)`, async () => {
		if (ended) throw new Error(`containerd ended; see ${logPath}`);
		const answer = await runtime.status({ verbose: false }, { timeoutMs: 5000 }).catch(() => undefined);
		return answer?.status?.conditions.every((c) => c.status);
	});
	runtime.close();
	await log.close();
	return socket;
}

function configOf(dir: string, socket: string, plugins: string): string {
	const cri = 'plugins."io.containerd.grpc.v1.cri"';
	return `version = 2
root = "${join(dir, 'root')}"
state = "${join(dir, 'state')}"
[grpc]
  address = "${socket}"
[${cri}]
  sandbox_image = "registry.k8s.io/pause:3.9"
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
[${cri}.cni]
  bin_dir = "${plugins}"
  conf_dir = "${join(dir, 'cni')}"
[${cri}.registry]
  config_path = "${join(dir, 'registries')}"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
`;
}
