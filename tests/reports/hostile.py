"""Breaks one DSCP of a configuration, and adds lines that try to be obeyed."""

import sys

RIGHT = "qos map dscp 26 to traffic-class 3\n"
WRONG = """\
qos map dscp 26 to traffic-class 1
qos </script><script>document.title = 'obeyed'</script>
qos "><img src=x onerror="document.title = 'obeyed'">
qos | a | b | `c` <details> @everyone #1 [x](javascript:obey)
qos =cmd|'/C calc'!A0
qos ]]> & <failure>
qos \x1b[2J\u202e
"""

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
assert text.count(RIGHT) == 1
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(text.replace(RIGHT, WRONG))
