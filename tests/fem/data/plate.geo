DefineConstant[ quads = 1 ];
SetFactory("Built-in");
Point(1) = {1,0,0,1}; Point(2) = {2,0,0,1}; Point(3) = {0,2,0,1}; Point(4) = {0,1,0,1}; Point(5) = {0,0,0,1};
Line(1) = {1,2}; Circle(2) = {2,5,3}; Line(3) = {3,4}; Circle(4) = {4,5,1};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Transfinite Curve{1,3} = 2; Transfinite Curve{2,4} = 4; Transfinite Surface{1};
If (quads == 1) Recombine Surface{1}; EndIf
Physical Surface("rubber") = {1}; Physical Curve("inner") = {4}; Physical Curve("outer") = {-2}; Physical Point("tip") = {2};
