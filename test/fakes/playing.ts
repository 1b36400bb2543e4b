/** Pods that play a script on a simulated node, and what a test asks of them. */
import type { Container, Pod } from '../../api/gen/types.ts';
import type { Script, SimulatedExec } from '../../agent/runtime/simulated.ts';
import { SimulatedNode } from './simulated-node.ts';

export const c = (more: Partial<Container> = {}): Container => ({ name: 'c', image: 'i', ...more });
export const statusOf = (pod: Pod | undefined, name = 'c') =>
	[...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])].find((s) => s.name === name);
export const condition = (pod: Pod | undefined, type: string) => pod?.status?.conditions?.find((x) => x.type === type);

export interface Play {
	readonly script?: (container: string, attempt: number) => Script;
	readonly exec?: (container: string, command: string) => SimulatedExec;
}

/** A node that notes when containers are made, as "seconds name attempt". */
export async function playing({ script, exec }: Play = {}): Promise<{ readonly node: SimulatedNode; readonly starts: string[] }> {
	const starts: string[] = [];
	const from = Date.UTC(2026, 0, 1);
	const node: SimulatedNode = await SimulatedNode.start({
		images: ['i:latest'],
		script: (_pod, name, attempt) => {
			starts.push(`${((node?.clock.now() ?? from) - from) / 1000} ${name} ${attempt}`);
			return script?.(name, attempt) ?? {};
		},
		...(exec === undefined ? {} : { exec: (container, command) => exec(container.name, command.join(' ')) }),
	});
	return { node, starts };
}
