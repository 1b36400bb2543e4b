/** RuntimeConfig: the cgroup driver that the kubelet must use too. */
import type { Handler } from '../context.ts';
import { CgroupDriver, type RuntimeConfigRequest, type RuntimeConfigResponse } from '../proto.ts';

export const runtimeConfig: Handler<RuntimeConfigRequest, RuntimeConfigResponse> = async ({ host }) => ({
	linux: { cgroupDriver: host.cgroupDriver === 'systemd' ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS },
});
