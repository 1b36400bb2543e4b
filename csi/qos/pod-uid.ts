/** Whose a target path is: kubelets publish file systems below a pod's folder, and devices under the pod's uid. Pure. */

const UID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** `pods/UID/volumes/kubernetes.io~csi/PV/mount`, or `volumeDevices/publish/PV/UID`. */
const LAYOUTS = [new RegExp(`/pods/(${UID})/volumes/`), new RegExp(`/volumeDevices/publish/[^/]+/(${UID})$`)];

/** Undefined where the path is of no pod. */
export function podUidOf(targetPath: string): string | undefined {
	return LAYOUTS.map((layout) => layout.exec(targetPath)?.[1]).find((uid) => uid !== undefined);
}
