/** The families of /metrics/cadvisor that tell of the machine. Pure; names and words of cAdvisor. */
import type { HostFacts } from '../../host/facts.ts';
import type { Topology } from '../../host/topology.ts';
import type { Family } from '../server/exposition.ts';

export function machineFamilies(host: HostFacts, { cpus }: Topology): readonly Family[] {
	const { bootId, machineId, systemUuid } = host;
	const gauge = (name: string, help: string, value: number): Family => ({
		name: `machine_${name}`,
		type: 'gauge',
		help,
		samples: [{ labels: { boot_id: bootId, machine_id: machineId, system_uuid: systemUuid }, value }],
	});
	return [
		gauge('cpu_cores', 'Number of logical CPU cores.', host.cpus),
		gauge('cpu_physical_cores', 'Number of physical CPU cores.', new Set(cpus.map((cpu) => cpu.core)).size),
		gauge('cpu_sockets', 'Number of CPU sockets.', new Set(cpus.map((cpu) => cpu.socket)).size),
		gauge('memory_bytes', 'Amount of memory installed on the machine.', host.memoryBytes),
		gauge('swap_bytes', 'Amount of swap memory available on the machine.', host.swapBytes),
		{
			name: 'cadvisor_version_info',
			type: 'gauge',
			help: "A metric with a constant '1' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.",
			samples: [
				{
					labels: {
						cadvisorRevision: '',
						cadvisorVersion: '',
						dockerVersion: '',
						kernelVersion: host.kernelVersion,
						osVersion: host.osImage,
					},
					value: 1,
				},
			],
		},
	];
}
