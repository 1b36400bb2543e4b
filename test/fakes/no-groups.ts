/** An agent's control groups where there are none. */
import { PodGroups } from '../../agent/cgroup/pod-groups.ts';
import { noLog } from '../../base/log.ts';
import { CgroupTree } from '../../host/cgroup-tree.ts';

const rules = { cpuQuota: true, cpuPeriodUs: 100_000, podPidsLimit: -1 };

export const NO_GROUPS = PodGroups.off({ tree: await CgroupTree.open('/nowhere'), driver: 'cgroupfs', root: '', rules, log: noLog });
